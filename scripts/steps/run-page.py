#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run-page.py PAGE FOLDER BIN [--debug]: do what a page says, in the order in which it says it.

Its `sh` blocks are run by one shell that stops at the first failure; its other blocks that begin with a file's name in a
comment are that file. FOLDER is the home of the run; BIN comes first in the path; with --debug, builds are debug ones.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys


def main() -> None:
    page, folder, path = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
    script = "set -euo pipefail\n"
    count = 0
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        if language == "sh":
            script += text
        elif name := re.match(r"(?:/\* |# |// )([\w.]+)", text):
            script += f"cat > {name[1]} << 'END OF FILE'\n{text}END OF FILE\n"
        count += 1
    assert count > 3, "the page has no blocks"
    if "--debug" in sys.argv:
        script = re.sub(r'(scripts/(?:install-c|build-wheel)"?)', r"\1 --debug", script)
    folder.mkdir(parents=True)
    environment = {**os.environ, "HOME": str(folder), "PATH": f"{path}:{os.environ['PATH']}"}
    sys.exit(subprocess.run(["bash", "-c", script], env=environment).returncode)


main()
