# SPDX-License-Identifier: Apache-2.0
"""openapi.yaml against the service, by schemathesis, over loopback TCP: schema.py SERVICE SCHEMATHESIS."""
import os
import socket
import subprocess
import sys
import tempfile

from harness import ROOT, TOKEN, running

# All of its checks but these. 422 is right for a payload that is well-formed and refused, and a check answers 200 with a
# report for rubbish: so whether what is generated is taken or refused is no question here. A GET with a body, by which
# unknown methods are tried, is a head with two readings: 400, not 405.
NO_CHECKS = "positive_data_acceptance,negative_data_rejection,unsupported_method"


def main() -> None:
    program, schemathesis = (os.path.abspath(path) for path in sys.argv[1:3])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        token = os.path.join(folder, "token")
        with open(token, "w", encoding="ascii") as file:
            file.write(TOKEN + "\n")
        more = ["--allow-sign", "--allow-seal", "--profile", "java-default"]
        with running(program, "--tcp", str(port), "--token-file", token, *more) as service:
            subprocess.run(
                [schemathesis, "run", os.path.join(ROOT, "Packages", "Service", "openapi.yaml"), "--url", f"http://127.0.0.1:{port}",
                 "-H", f"Authorization: Bearer {TOKEN}", "--checks", "all", "--exclude-checks", NO_CHECKS, "--max-examples", "60", "--seed", "18",
                 "--no-color", "--request-timeout", "20", *sys.argv[3:]], check=True, cwd=folder)
            service.stop()


if __name__ == "__main__":
    main()
