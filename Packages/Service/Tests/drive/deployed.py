# SPDX-License-Identifier: Apache-2.0
"""The service behind the proxies, in the frameworks and in the surroundings of Packages/Service/examples, and behind nginx and haproxy
as their defaults send. What is not installed is skipped, and said."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

import clients
from harness import PATIENCE, ROOT, STARTED, reserved_port, result, running, sealed

EXAMPLES = os.path.join(ROOT, "Packages", "Service", "examples")
ORDER = "orderNo=ord1&userId=u-1"


def skipped(what: str, why: str) -> None:
    print(f"SKIPPED: {what}: {why}")


@contextmanager
def program(words: list[str], port: int, **more):
    """A program that listens; its output is in a file `log`, so that nothing waits for us."""
    with open(os.path.join(more["cwd"], "log"), "ab") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, **more)
    STARTED.append(process)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None or time.monotonic() > end:
                with open(os.path.join(more["cwd"], "log"), encoding="utf-8") as text:
                    raise AssertionError((words, text.read()[-2000:]))
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def curl(*words: str, data: bytes | None = None) -> tuple[int, str, bytes]:
    done = subprocess.run(["curl", "-sS", "-m", "30", "-i", "--noproxy", "*", *words], input=data, stdout=subprocess.PIPE, check=True, timeout=60)
    rest = done.stdout
    while True:
        head, _, rest = rest.partition(b"\r\n\r\n")
        if int(head.split()[1]) != 100:
            return int(head.split()[1]), head.decode("latin-1").lower(), rest


def through(url: str, whole: bytes, payload: bytes, video: bytes, *more: str) -> None:
    """What a caller does through a proxy."""
    kind = ["-H", "Content-Type: application/json", *more]
    for name, words in (("a length", []), ("chunks", ["-H", "Transfer-Encoding: chunked"]), ("an expectation", ["-H", "Expect: 100-continue"]),
                        ("headers of proxies before it", ["-H", "X-Forwarded-For: 1.2.3.4", "-H", "X-Forwarded-For: 5.6.7.8", "-H", "X-User: 李雷"]),
                        ("Java's default client", ["-H", "Connection: Upgrade, HTTP2-Settings", "-H", "Upgrade: h2c", "-H", "HTTP2-Settings: AAMAAABk"]),
                        ("HTTP/1.0", ["-0"])):
        status, head, body = curl(*kind, *words, "--data-binary", "@-", f"{url}/v1/check?{ORDER}", data=whole)
        assert status == 200 and json.loads(body)["verdict"] == "holds", (url, name, status, body[:300])
        assert "evidence-request-id:" in head and "repr-digest:" in head, head
    status, _, body = curl(*kind, "--data-binary", "@-", f"{url}/v1/open?orderNo=ord1", data=payload)
    assert (status, body == video) == (200, True), (url, status, len(body))
    status, _, body = curl(*kind, "-X", "POST", "-H", "Content-Length: 0", f"{url}/v1/check?{ORDER}")
    assert (status, json.loads(body)["code"]) == (400, "no-body"), (url, status, body)
    status, _, body = curl(*kind, "--data-binary", "@-", f"{url}/v1/check?{ORDER}", data=whole[:3000])
    assert (status, json.loads(body)["code"]) == (400, "invalid-json"), (url, status, body)
    status, _, body = curl(*kind, "-H", "Origin: http://x", "--data-binary", "@-", f"{url}/v1/check?{ORDER}", data=whole)
    assert (status, json.loads(body)["code"]) == (403, "from-a-browser"), (url, status, body)
    # Refused before all of it was sent: the answer comes through all the same.
    for target, status, code in (("check?orderNo=ord1&x=1", 400, "bad-query"), ("nothing", 404, "no-such-path"), ("verify", 413, "body-too-large")):
        for words in ([], ["-H", "Transfer-Encoding: chunked"]):
            found, _, body = curl(*kind, *words, "--data-binary", "@-", f"{url}/v1/{target}", data=b" " * 20_000_000)
            assert (found, json.loads(body)["code"]) == (status, code), (url, target, found, body[:200])
    assert curl(*more, "-X", "GET", "--data-binary", "{}", url + "/healthz")[0] == 200, url
    for words in ([], ["-0"], ["-I"], ["-H", "Host: 10.0.0.5"]):
        assert curl(*more, *words, url + "/healthz")[0] == 200, (url, words)


def certificates(folder: str) -> list[str]:
    """For a proxy and for a caller of it; the words for curl."""
    for name in ("proxy", "callers"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"], check=True, timeout=60, stderr=subprocess.DEVNULL)
    with open(f"{folder}/proxy-and-key.pem", "wb") as both:
        for name in ("proxy.pem", "proxy.key"):
            with open(f"{folder}/{name}", "rb") as one:
                both.write(one.read())
    return ["--cacert", f"{folder}/proxy.pem", "--cert", f"{folder}/callers.pem", "--key", f"{folder}/callers.key"]


def example(name: str, folder: str, socket_path: str, **ports: int) -> str:
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        text = file.read()
    for old, new in ports.items():
        assert old[1:] in text
        text = text.replace(old[1:], str(new))
    return text.replace("/run/evidence/evidence.sock", socket_path).replace("/etc/evidence", folder)


def nginx(service, folder: str, *given) -> None:
    plain, secured = reserved_port(), reserved_port()
    user = "user root;" if os.getuid() == 0 else ""
    places = "".join(f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(f"""{user} daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;
events {{}}
http {{
access_log off; {places}
server {{ listen 127.0.0.1:{plain}; client_max_body_size 1g; location / {{ proxy_pass http://unix:{service.socket}:; }} }}
{example("nginx.conf", folder, service.socket, _8443=secured)}
}}
""")
    words = certificates(folder)
    with program([shutil.which("nginx") or "/usr/sbin/nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], plain, cwd=folder):
        # With all that is the default: HTTP/1.0, Connection: close, everything in a file first.
        through(f"http://127.0.0.1:{plain}", *given)
        through(f"https://127.0.0.1:{secured}", *given, *words)
        assert curl(*words[:2], f"https://127.0.0.1:{secured}/healthz")[0] == 400, "without a certificate"


def haproxy(service, folder: str, *given) -> None:
    plain, secured = reserved_port(), reserved_port()
    with open(f"{folder}/haproxy.cfg", "w", encoding="utf-8") as file:
        file.write(f"""listen plain
    mode http
    bind 127.0.0.1:{plain}
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    option httpchk
    option forwardfor
    server local unix@{service.socket} check inter 200 fall 1 rise 1
{example("haproxy.cfg", folder, service.socket, _8444=secured)}
""")
    words = certificates(folder)
    with program([shutil.which("haproxy") or "/usr/sbin/haproxy", "-db", "-f", f"{folder}/haproxy.cfg"], plain, cwd=folder):
        time.sleep(1)  # A check of health that failed would have taken the server away.
        through(f"http://127.0.0.1:{plain}", *given)
        through(f"https://127.0.0.1:{secured}", *given, *words)
        assert curl(*words, f"https://127.0.0.1:{secured}/metrics")[0] == 403


def route(url: str, whole: bytes) -> None:
    """What the examples of frameworks do."""
    kind = ["-H", "Content-Type: application/json"]
    assert json.loads(curl(*kind, "--data-binary", "@-", url.format("ord1"), data=whole)[2])["passed"] is True
    assert json.loads(curl(*kind, "-H", "Transfer-Encoding: chunked", "--data-binary", "@-", url.format("ord1"), data=whole)[2])["passed"] is True
    assert json.loads(curl(*kind, "--data-binary", "@-", url.format("ord2"), data=whole)[2])["passed"] is False
    for body, code in ((b"", "no-body"), (whole[:3000], "invalid-json")):
        status, _, answer = curl(*kind, "--data-binary", "@-", url.format("ord1"), data=body)
        assert (status, json.loads(answer)["code"]) == (400, code), (url, status, answer)
    # Longer than what PHP takes from a form, and than what a socket holds.
    long = whole[:-1].rstrip()[:-1] + b',"more":"' + b"x" * 20_000_000 + b'"}'
    assert "passed" in json.loads(curl(*kind, "--data-binary", "@-", url.format("ord1"), data=long)[2])


def express(service, folder: str, whole: bytes) -> None:
    port = reserved_port()
    for name, place in (("express.js", EXAMPLES), ("evidence_client.js", clients.CLIENTS)):
        shutil.copy(os.path.join(place, name), folder)
    environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs:/usr/lib/nodejs", "PORT": str(port), "EVIDENCE_SOCKET": service.socket}
    with program(["node", "express.js"], port, cwd=folder, env=environment):
        route(f"http://127.0.0.1:{port}/orders/{{}}/result", whole)


def fpm(service, folder: str, whole: bytes, server: str) -> None:
    port = reserved_port()
    for name, place in (("result.php", EXAMPLES), ("EvidenceService.php", clients.CLIENTS)):
        shutil.copy(os.path.join(place, name), folder)
    root = os.getuid() == 0
    with open(f"{folder}/fpm.conf", "w", encoding="utf-8") as file:
        file.write(f"""[global]
error_log = {folder}/fpm.log
[www]
listen = {folder}/fpm.sock
pm = static
pm.max_children = 1
env[EVIDENCE_SOCKET] = {service.socket}
{"user = root" if root else ""}
{"group = root" if root else ""}
""")
    places = "".join(f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(f"""{"user root;" if root else ""} daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;
events {{}}
http {{ access_log off; {places} client_max_body_size 1g;
server {{ listen 127.0.0.1:{port}; location / {{ include /etc/nginx/fastcgi_params;
fastcgi_param SCRIPT_FILENAME {folder}/result.php; fastcgi_pass unix:{folder}/fpm.sock; }} }} }}
""")
    manager = subprocess.Popen([server, "-F", "-y", f"{folder}/fpm.conf", *(["-R"] if root else [])], stderr=subprocess.DEVNULL)
    STARTED.append(manager)
    try:
        with program([shutil.which("nginx") or "/usr/sbin/nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], port, cwd=folder):
            end = time.monotonic() + PATIENCE
            while not os.path.exists(f"{folder}/fpm.sock"):
                assert time.monotonic() < end, "php-fpm does not listen"
                time.sleep(0.05)
            route(f"http://127.0.0.1:{port}/result?order={{}}", whole)
    finally:
        manager.terminate()
        manager.wait(PATIENCE)


SPRING = """
import java.io.*; import java.nio.file.*; import org.springframework.web.bind.annotation.*;
public class Route {
    public static void main(String[] a) throws Exception {
        var method = ResultController.class.getMethod("check", String.class, InputStream.class);
        if (!method.getAnnotation(RequestMapping.class).value()[0].equals("/orders/{order}/result")) throw new AssertionError();
        byte[] whole = Files.readAllBytes(Path.of(a[0]));
        for (var body : new byte[][] {whole, new byte[0], java.util.Arrays.copyOf(whole, 3000)}) {
            var answer = new ResultController().check("ord1", new ByteArrayInputStream(body));
            System.out.println(answer.getStatusCode() + " " + answer.getBody());
        }
    }
}
"""


def spring(service, folder: str, whole: bytes, jars: str) -> None:
    for name, place in (("ResultController.java", EXAMPLES), ("EvidenceService.java", clients.CLIENTS)):
        shutil.copy(os.path.join(place, name), folder)
    for name, data in (("Route.java", SPRING.encode()), ("result.json", whole)):
        with open(f"{folder}/{name}", "wb") as file:
            file.write(data)
    subprocess.run(["javac", "-cp", jars, "-d", folder, "ResultController.java", "EvidenceService.java", "Route.java"], cwd=folder, check=True, timeout=120)
    done = subprocess.run(["java", "-cp", f"{folder}:{jars}", "Route", f"{folder}/result.json"], stdout=subprocess.PIPE, check=True, timeout=120,
                          encoding="utf-8", env={**os.environ, "EVIDENCE_SOCKET": service.socket})
    assert done.stdout.splitlines() == ['200 {"passed":true}', '400 {"code":"no-body"}', '400 {"code":"invalid-json"}'], done.stdout


def contained(path: str, payload: bytes, video: bytes) -> str | None:
    """As process 1 of a namespace without a network, on a file system that is read-only but for socket and TMPDIR."""
    if os.getuid() != 0:
        return "it needs root"
    if subprocess.run(["unshare", "-m", "-p", "-n", "-f", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return "there are no namespaces here"
    script = """mount --make-rprivate / && mount --bind "$1" "$1" && mount -t tmpfs tmpfs "$1/spool" &&
        mount -o remount,ro,bind / && mount -t proc proc /proc && exec "$2" --socket "$1/evidence.sock" "${@:3}" """
    with running(path) as outer:
        os.makedirs(f"{outer.folder}/inner/spool")
        inner = f"{outer.folder}/inner"
        words = ["unshare", "-m", "-p", "-n", "-f", "--kill-child", "bash", "-c", script, "-", inner, path, "--key",
                 os.path.join(ROOT, "TestVectors/keys/rsa3072.pem"), "--compare-key", os.path.join(ROOT, "TestVectors/keys/other3072.pem")]
        process = subprocess.Popen(words, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": inner + "/spool"})
        STARTED.append(process)
        end = time.monotonic() + PATIENCE
        while not os.path.exists(inner + "/evidence.sock"):
            assert process.poll() is None and time.monotonic() < end, process.stderr.read()
            time.sleep(0.05)
        status, _, body = curl("--unix-socket", inner + "/evidence.sock", "-H", "Content-Type: application/json", "--data-binary", "@-",
                               "http://evidence/v1/open?orderNo=ord1", data=payload)
        assert (status, body == video) == (200, True), (status, len(body))
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as children:
            first = int(children.read().split()[0])
        os.kill(first, signal.SIGUSR1)
        assert curl("--unix-socket", inner + "/evidence.sock", "http://evidence/healthz")[0] == 200
        os.kill(first, signal.SIGTERM)
        assert process.wait(PATIENCE) == 0, process.stderr.read()
        outer.stop()
    return None


def units() -> str | None:
    """The units, and the keeper's, as systemd reads them."""
    if not shutil.which("systemd-analyze"):
        return "not installed"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("evidence.service", "evidence.socket"):
            shutil.copy(os.path.join(ROOT, "Packages", "Service", "systemd", name), folder)
        shutil.copy(os.path.join(ROOT, "Packages", "Vendor", "systemd", "evidence-keeper.service"), folder)
        text = subprocess.run(["systemd-analyze", "verify", f"{folder}/evidence.service", f"{folder}/evidence-keeper.service"], stderr=subprocess.PIPE, check=False, encoding="utf-8").stderr
        faults = [line for line in text.splitlines() if folder in line and "is not executable" not in line]
        assert not faults, faults
    return None


def check(path: str, evidence_tool: str) -> None:
    ran = []
    with running(path) as service:
        whole = result(evidence_tool, service.folder)
        video = bytes(range(256)) * 12_000
        payload = sealed(evidence_tool, video)

        def run(name: str, missing: str | None, body) -> None:
            if missing:
                skipped(name, missing)
                return
            folder = os.path.join(service.folder, name)
            os.mkdir(folder)
            body(folder)
            ran.append(name)

        def lacks(*programs: str) -> str | None:
            path = os.environ["PATH"] + ":/usr/sbin"
            return next((f"{one} is not installed" for one in programs if not shutil.which(one, path=path)), None)

        given = (whole, payload, video)
        run("nginx", lacks("nginx", "curl"), lambda folder: nginx(service, folder, *given))
        run("haproxy", lacks("haproxy", "curl"), lambda folder: haproxy(service, folder, *given))
        run("express", lacks("node", "curl") or (None if os.path.exists("/usr/share/nodejs/express") else "node-express is not installed"),
            lambda folder: express(service, folder, whole))
        servers = sorted(name for name in os.listdir("/usr/sbin") if re.fullmatch(r"php-fpm[0-9.]+", name))
        run("php-fpm", clients.missing("php") or lacks("nginx", "curl") or (None if servers else "php-fpm is not installed"),
            lambda folder: fpm(service, folder, whole, "/usr/sbin/" + servers[-1]))
        jars = [f"/usr/share/java/{name}.jar" for name in ("spring3-web", "spring3-core", "spring3-beans", "spring3-context", "commons-logging")]
        run("spring", clients.missing("java") or next((f"{jar} is not installed" for jar in jars if not os.path.exists(jar)), None),
            lambda folder: spring(service, folder, whole, ":".join(jars)))
        service.stop()
    for name, reason in (("a container", contained(path, payload, video)), ("the units of systemd", units())):
        if reason:
            skipped(name, reason)
        else:
            ran.append(name)
    print("deployed: " + ", ".join(ran))


if __name__ == "__main__":
    check(*(os.path.abspath(one) for one in sys.argv[1:3]))
