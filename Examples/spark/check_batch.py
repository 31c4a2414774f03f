# SPDX-License-Identifier: Apache-2.0
"""Many records through `evidence-tool batch` on Spark, in the two ways that docs/BATCH.md describes.

    spark-submit check_batch.py {pipe|pandas} REQUESTS ANSWERS evidence-tool batch check --key key.pem --root /srv/results

REQUESTS is a folder or a file of request lines, ANSWERS a new folder. The command, its key and the root must be on each worker.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator

from pyspark.sql import SparkSession


def by_pipe(session: SparkSession, requests: str, answers: str, command: list[str]) -> None:
    """A process for each partition; lines in, lines out."""
    lines = session.sparkContext.textFile(requests)
    # Without checkCode a worker that dies is not noticed, and its lines are lost. Without an environment the worker has none,
    # and a command that is named without its folder is found in /bin and /usr/bin alone.
    path = {"PATH": os.environ.get("PATH", os.defpath)}
    lines.pipe(shlex.join(command), env=path, checkCode=True).saveAsTextFile(answers)
    came, wanted = session.sparkContext.textFile(answers).count(), lines.count()
    if came != wanted:
        raise RuntimeError(f"{came} answers to {wanted} requests")


def by_pandas(session: SparkSession, requests: str, answers: str, command: list[str]) -> None:
    """The same with data frames: one process for each task, fed by a thread so that neither side waits for the other."""
    import pandas

    def answered(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        counts: list[int] = []
        failure: list[BaseException] = []

        def feed() -> None:
            try:
                for frame in frames:
                    counts.append(len(frame))
                    process.stdin.write("".join(line + "\n" for line in frame["value"]).encode())
                process.stdin.close()
            except BrokenPipeError:
                pass  # The worker has ended: its status says why, below.
            except BaseException as error:  # It is raised where the answers are read.
                failure.append(error)
                process.kill()

        feeder = threading.Thread(target=feed)
        feeder.start()
        came = 0
        try:
            while lines := process.stdout.readlines(1 << 20):
                came += len(lines)
                yield pandas.DataFrame({"value": [line.decode().removesuffix("\n") for line in lines]})
        finally:
            if sys.exc_info()[0] is not None:
                process.kill()
            feeder.join()
            status = process.wait()
        if failure:
            raise failure[0]
        if status != 0 or came != sum(counts):
            raise RuntimeError(f"the worker ended with {status} after {came} answers to {sum(counts)} requests")

    frame = session.read.text(requests)
    frame.mapInPandas(answered, "value string").write.text(answers)


def main() -> None:
    if len(sys.argv) < 5 or sys.argv[1] not in ("pipe", "pandas"):
        sys.exit(__doc__)
    _, way, requests, answers, *command = sys.argv
    session = SparkSession.builder.appName("evidence-tool batch").getOrCreate()
    {"pipe": by_pipe, "pandas": by_pandas}[way](session, requests, answers, command)
    session.stop()


if __name__ == "__main__":
    main()
