# SPDX-License-Identifier: Apache-2.0
"""How pip builds the wheel from the source distribution (PEP 517)."""

import os
import subprocess


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    done = subprocess.run(["scripts/build-wheel", "-o", wheel_directory], check=True, stdout=subprocess.PIPE, text=True)
    return os.path.basename(done.stdout.strip())


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("scripts/release packs the source distribution")
