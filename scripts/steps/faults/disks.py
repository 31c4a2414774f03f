# SPDX-License-Identifier: Apache-2.0
"""Disks that are mounted for a run, small ones and ones whose power can be cut. They need root."""

import contextlib
import dataclasses
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
import time

MIB = 1 << 20
# The substitute for a disk where none can be made.
UNAVAILABLE = (OSError, subprocess.CalledProcessError)


@contextlib.contextmanager
def mounted(folder: str, options: str, source: str = "none", kind: str = "tmpfs"):
    """A mount in a new folder, undone afterwards."""
    path = tempfile.mkdtemp(dir=folder)
    subprocess.run(["mount", "-t", kind, "-o", options, source, path], check=True, stderr=subprocess.DEVNULL)
    try:
        yield path
    finally:
        unmount(path)


def unmount(path: str) -> None:
    for _ in range(50):
        if subprocess.run(["umount", path], stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.1)
    subprocess.run(["umount", "-l", path])


@dataclasses.dataclass
class Disk:
    """An ext4 in a file that writes nothing by itself for five minutes, nor when a file is replaced."""

    image: str
    path: str

    def cut_power(self, is_log_written: bool = False) -> None:
        """`EXT4_IOC_SHUTDOWN`: no data is written any more, of the journal nothing or all (names, but not what is in the files)."""
        number = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(number, 0x8004587D, struct.pack("I", 1 if is_log_written else 2))
        finally:
            os.close(number)

    def mount_again(self) -> None:
        # A copy: the disk itself would come back as it is, without power, where another namespace of mounts still has it.
        after = self.image + ".after"
        shutil.copyfile(self.image, after)
        unmount(self.path)
        subprocess.run(["mount", "-o", "loop", after, self.path], check=True)


@contextlib.contextmanager
def new_disk(folder: str):
    image = os.path.join(folder, "disk")
    with open(image, "wb") as file:
        file.truncate(24 * MIB)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, stderr=subprocess.DEVNULL)
    with mounted(folder, "loop,noatime,commit=300,noauto_da_alloc", image, "ext4") as path:
        yield Disk(image, path)
