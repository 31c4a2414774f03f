# SPDX-License-Identifier: Apache-2.0
"""What the usual web framework of each client's language gives, sent on as it is: streams, bytes, uploaded files. What is not
installed is skipped, and said."""
import json
import os
import shutil
import subprocess
import tempfile

import clients
from deployed import curl, program, skipped
from harness import reserved_port, result, running

HERE = os.path.dirname(os.path.abspath(__file__))
# Its ways to hand over a document; a way that begins with "file" has it in a form.
FRAMEWORKS = {
    "Flask": ("python3", "main.py", "stream length wsgi bytes bytearray view file file-stream file-path"),
    "Express": ("node", "main.js", "request length bytes view file"),
    "PHP, Symfony, PSR-7": (
        "php", "main.php", "path stream length bytes symfony symfony-bytes psr7 psr7-body file file-symfony file-psr7"),
    "the JDK's server": ("java", "Main.java", "stream length bytes buffer saved-path"),
    "net/http": ("go", "main.go", "request body length bytes file file-stream file-path"),
}
PYTHON = next((one for one in ("/usr/bin/python3", shutil.which("python3")) if one and not subprocess.run(
    [one, "-c", "import flask"], stderr=subprocess.DEVNULL, check=False).returncode), None)
PHP = "/usr/share/php"


def missing(language: str) -> str | None:
    wanted = {
        "python3": (PYTHON, "python3-flask"),
        "node": (os.path.exists("/usr/share/nodejs/express") and os.path.exists("/usr/share/nodejs/busboy"), "node-express and node-busboy"),
        "php": (os.path.exists(f"{PHP}/Symfony/Component/HttpFoundation") and os.path.exists(f"{PHP}/GuzzleHttp/Psr7"),
                "php-symfony-http-foundation and php-guzzlehttp-psr7"),
    }
    found, packages = wanted.get(language, (True, ""))
    return clients.missing(language) or (None if found else f"{packages} are not installed")


def command(language: str, name: str, folder: str, socket_path: str, port: int) -> list[str]:
    source = os.path.join(HERE, "frameworks", name)
    if language == "python3":
        return [PYTHON, source, clients.CLIENTS, socket_path, str(port)]
    if language == "node":
        shutil.copy(source, folder)
        return ["node", os.path.join(folder, name), clients.CLIENTS, socket_path, str(port)]
    if language == "php":
        bounds = ["-d", "upload_max_filesize=100M", "-d", "post_max_size=100M"]
        return ["php", *bounds, "-S", f"127.0.0.1:{port}", source]
    with open(source, encoding="utf-8") as file:
        return [*clients.build(language, name, file.read(), folder), socket_path, str(port)]


def send(url: str, data: bytes, is_file: bool, *words: str) -> tuple[int, dict]:
    if is_file:
        words += ("-F", "result=@-;filename=result.json")
    else:
        words += ("-H", "Content-Type: application/json", "--data-binary", "@-")
    status, _, body = curl(*words, url, data=data)
    try:
        return status, json.loads(body)
    except ValueError:
        raise AssertionError((url, status, body[:2000])) from None


def sends_on(url: str, way: str, whole: bytes) -> None:
    """The verdict of each body, and the refusal of one that is none."""
    is_file = way.startswith("file")
    # Longer than what a framework or a socket holds in memory.
    long = whole[:-1].rstrip()[:-1] + b',"more":"' + b"x" * 3_000_000 + b'"}'
    bodies = ((whole, "ord1", 200, {"passed": True}), (whole, "ord2", 200, {"passed": False}),
              (b"", "ord1", 400, {"code": "no-body"}), (whole[:3000], "ord1", 400, {"code": "invalid-json"}))
    for body, order, status, answer in bodies:
        assert send(f"{url}/{way}/{order}", body, is_file) == (status, answer), (way, order, len(body))
    assert send(f"{url}/{way}/ord1", long, is_file)[0] == 200, way
    # A body in chunks says no length, which these ways need.
    if way not in ("length", "wsgi"):
        assert send(f"{url}/{way}/ord1", whole, is_file, "-H", "Transfer-Encoding: chunked") == (200, {"passed": True}), way


def check(path: str, evidence_tool: str) -> None:
    ran = []
    with running(path) as service:
        whole = result(evidence_tool, service.folder)
        for name, (language, source, ways) in FRAMEWORKS.items():
            if reason := missing(language):
                skipped(name, reason)
                continue
            port = reserved_port()
            with tempfile.TemporaryDirectory() as folder:
                environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs:/usr/lib/nodejs", "EVIDENCE_SOCKET": service.socket,
                               "EVIDENCE_CLIENTS": clients.CLIENTS, "PYTHONDONTWRITEBYTECODE": "1"}
                words = command(language, source, folder, service.socket, port)
                with program(words, port, cwd=folder, env=environment):
                    try:
                        for way in ways.split():
                            sends_on(f"http://127.0.0.1:{port}", way, whole)
                    except BaseException:
                        with open(os.path.join(folder, "log"), encoding="utf-8") as log:
                            print(log.read()[-2000:])
                        raise
            ran.append(f"{name} {len(ways.split())}")
        service.stop()
    print("what frameworks give: " + ", ".join(ran))
