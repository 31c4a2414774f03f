# SPDX-License-Identifier: Apache-2.0
"""Each client of Packages/Service/clients, where its language is installed: against the service, and against a server that cuts
its answers. What is not installed is skipped, and said."""
import base64
import hashlib
import os
import random
import re
import shutil
import socket
import subprocess
import tempfile
import threading

from harness import ROOT, result, running, sealed, tool

CLIENTS = os.path.join(ROOT, "Packages", "Service", "clients")

# Each prints the lines that `told` expects: what came of check, verify, an open, an open of another order.
PROGRAMS = {
    "python3": ("main.py", """
import sys; sys.path.insert(0, sys.argv[1])
from evidence_client import EvidenceService, EvidenceProblem
_, _, path, payload, result, sign, out = sys.argv
service = EvidenceService(path, 10)
def attempt(name, body):
    try: print(name, body())
    except EvidenceProblem as error: print(name, error.code or error.status)
    except Exception as error: print(name, "failed")
attempt("check", lambda: service.check(open(result, "rb"), "ord1")["verdict"])
attempt("verify", lambda: str(service.verify("front-end-result", sign, {"appId": "IDAXXXXX", "orderNo": "ord1", "code": "0"})["valid"]).lower())
attempt("open", lambda: service.open(open(payload, "rb"), out, "ord1"))
attempt("other", lambda: service.open(open(payload, "rb"), out + "2", "ord2"))
"""),
    "node": ("main.js", """
const fs = require('fs');
const [, , folder, path, payload, result, sign, out] = process.argv;
const { EvidenceService } = require(folder + '/evidence_client.js');
const service = new EvidenceService(path, 10_000);
const attempt = (name, body) => body().then((value) => console.log(name, value ?? 'None'), (error) => console.log(name, error.code?.includes('-') ? error.code : error.status ?? 'failed'));
(async () => {
  await attempt('check', async () => (await service.check(fs.createReadStream(result), { orderNo: 'ord1' })).verdict);
  await attempt('verify', async () => (await service.verify('front-end-result', sign, { appId: 'IDAXXXXX', orderNo: 'ord1', code: '0' })).valid);
  await attempt('open', () => service.open(fs.createReadStream(payload), out, { orderNo: 'ord1' }));
  await attempt('other', () => service.open(fs.createReadStream(payload), out + '2', { orderNo: 'ord2' }));
  process.exit(0);
})();
"""),
    "php": ("main.php", """<?php
[, $folder, $path, $payload, $result, $sign, $out] = $argv;
require "$folder/EvidenceService.php";
$service = new EvidenceService($path, 10);
function attempt(string $name, callable $body): void {
    try { $value = $body(); echo $name, ' ', $value === null ? 'None' : $value, "\\n"; }
    catch (EvidenceProblem $error) { echo $name, ' ', $error->document['code'] ?? $error->status, "\\n"; }
    catch (Throwable $error) { echo $name, " failed\\n"; }
}
attempt('check', fn() => $service->check($result, ['orderNo' => 'ord1'])['verdict']);
attempt('verify', fn() => $service->verify('front-end-result', $sign, ['appId' => 'IDAXXXXX', 'orderNo' => 'ord1', 'code' => '0'])['valid'] ? 'true' : 'false');
attempt('open', fn() => $service->open($payload, $out, ['orderNo' => 'ord1']));
attempt('other', fn() => $service->open($payload, $out . '2', ['orderNo' => 'ord2']));
"""),
    "java": ("Main.java", """
import java.nio.file.Path; import java.util.Map; import java.util.concurrent.Callable; import java.util.regex.Pattern;
public class Main {
    static void attempt(String name, Callable<Object> body) {
        try { System.out.println(name + " " + body.call()); }
        catch (EvidenceService.Problem error) { System.out.println(name + " " + (error.code.isEmpty() ? "" + error.status : error.code)); }
        catch (Exception error) { System.out.println(name + " failed"); }
    }
    static String find(String json, String name) {
        var match = Pattern.compile("\\"" + name + "\\":\\"?([a-z-]+)").matcher(json);
        return match.find() ? match.group(1) : "nothing";
    }
    public static void main(String[] a) {
        var service = new EvidenceService(Path.of(a[1]), 10);
        var order = Map.of("orderNo", "ord1");
        attempt("check", () -> find(service.check(Path.of(a[3]), order), "verdict"));
        attempt("verify", () -> find(service.verify("{\\"recipe\\":\\"front-end-result\\",\\"sign\\":\\"" + a[4] + "\\",\\"values\\":{\\"appId\\":\\"IDAXXXXX\\",\\"orderNo\\":\\"ord1\\",\\"code\\":\\"0\\"}}"), "valid"));
        attempt("open", () -> { service.open(Path.of(a[2]), Path.of(a[5]), order); return "None"; });
        attempt("other", () -> { service.open(Path.of(a[2]), Path.of(a[5] + "2"), Map.of("orderNo", "ord2")); return "None"; });
    }
}
"""),
    "go": ("main.go", """package main

import ("errors"; "fmt"; "net/url"; "os"; "evidence.example/client/evidence")

func attempt(name string, value any, err error) {
	var problem *evidence.Problem
	switch {
	case err == nil: fmt.Println(name, value)
	case errors.As(err, &problem) && problem.Code == "": fmt.Println(name, problem.Status)
	case errors.As(err, &problem): fmt.Println(name, problem.Code)
	default: fmt.Println(name, "failed")
	}
}

func file(path string) *os.File {
	opened, _ := os.Open(path)
	return opened
}

func main() {
	a := os.Args[1:]
	service := evidence.NewService(a[1])
	order := url.Values{"orderNo": {"ord1"}}
	report, err := service.Check(file(a[3]), order)
	attempt("check", report["verdict"], err)
	outcome, err := service.Verify("front-end-result", a[4], map[string]string{"appId": "IDAXXXXX", "orderNo": "ord1", "code": "0"})
	attempt("verify", outcome["valid"], err)
	attempt("open", "None", service.Open(file(a[2]), a[5], order))
	attempt("other", "None", service.Open(file(a[2]), a[5]+"2", url.Values{"orderNo": {"ord2"}}))
}
"""),
}


def command(language: str, folder: str) -> list[str]:
    """Builds what must be built; the words that run it."""
    return build(language, *PROGRAMS[language], folder)


def build(language: str, name: str, text: str, folder: str) -> list[str]:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    if language == "java":
        shutil.copy(os.path.join(CLIENTS, "EvidenceService.java"), folder)
        subprocess.run(["javac", "-Xlint:all", "-Werror", "-d", folder, name, "EvidenceService.java"], cwd=folder, check=True)
        return ["java", "-cp", folder, "Main"]
    if language == "go":
        os.makedirs(os.path.join(folder, "evidence"))
        shutil.copy(os.path.join(CLIENTS, "evidence_client.go"), os.path.join(folder, "evidence"))
        with open(os.path.join(folder, "go.mod"), "w", encoding="ascii") as file:
            file.write("module evidence.example/client\n\ngo 1.19\n")
        subprocess.run(["go", "build", "-o", "client", "."], cwd=folder, check=True,
                       env={**os.environ, "GOFLAGS": "-mod=mod", "GOCACHE": os.path.join(ROOT, ".build", "go"), "CGO_ENABLED": "0"})
        return [os.path.join(folder, "client")]
    return [language, os.path.join(folder, name)]


def missing(language: str) -> str | None:
    if not shutil.which(language) or language == "java" and not shutil.which("javac"):
        return "not installed"
    if language == "php" and "curl" not in subprocess.run(["php", "-m"], stdout=subprocess.PIPE, check=True).stdout.decode():
        return "its curl extension is not installed"
    return None


# What a check answers under a profile without a tag: no verdict, which is no fault of the client's.
RECEIPT = b'{"schema":"evidence-receipt-1","order":"ord1","document":null,"receivedAt":"2026-11-26T12:00:00.000Z"}\n'


class Cutting:
    """A server none of whose answers is whole, and one that is no problem document."""

    KINDS = ("half", "head cut", "another byte", "no body", "digest of the half", "chunks without an end", "no length", "HTML")

    def __init__(self, path: str, video: bytes):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.video = video
        self.count = 0
        self.kind = ""
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                received = b""
                while b"\r\n\r\n" not in received:
                    received += connection.recv(1 << 16)
                length = re.search(rb"content-length: (\d+)", received, re.I)
                if length:
                    left = int(length.group(1)) - len(received.split(b"\r\n\r\n", 1)[1])
                    while left > 0 and (piece := connection.recv(1 << 16)):
                        left -= len(piece)
                else:
                    while not received.endswith(b"0\r\n\r\n"):
                        received += connection.recv(1 << 16)
                self.count += 1
                try:
                    connection.sendall(self.answer())
                except (BrokenPipeError, ConnectionResetError):
                    pass  # The client had seen enough.

    def answer(self) -> bytes:
        def head(body: bytes, length: str) -> bytes:
            digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
            return f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{length}Repr-Digest: sha-256=:{digest}:\r\n\r\n".encode()

        whole, half = self.video, self.video[:len(self.video) // 2]
        length = f"Content-Length: {len(whole)}\r\n"
        if self.kind == "receipt":
            return head(RECEIPT, f"Content-Length: {len(RECEIPT)}\r\nConnection: close\r\n") + RECEIPT
        return {
            "half": head(whole, length) + half, "head cut": head(whole, length)[:40],
            "another byte": head(whole, length) + bytes([whole[0] ^ 1]) + whole[1:], "no body": head(whole, length),
            "digest of the half": head(half, length) + half,
            "chunks without an end": head(half, "Transfer-Encoding: chunked\r\n") + b"%x\r\n%s\r\n" % (len(half), half),
            "no length": head(half, "Connection: close\r\n") + half,
            "HTML": b"HTTP/1.1 431 Too big\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>too big</html>",
        }[self.kind]


def check(program: str, evidence_tool: str) -> None:
    """Every client, on every path."""
    video = random.Random(5).randbytes(900_000)
    ran = []
    with running(program, "--allow-sign") as service:
        paths = {name: os.path.join(service.folder, name) for name in ("payload", "result")}
        for path, data in ((paths["payload"], sealed(evidence_tool, video)), (paths["result"], result(evidence_tool, service.folder))):
            with open(path, "wb") as file:
                file.write(data)
        sign = tool(evidence_tool, "sign", "front-end-result", "--ticket-file", os.path.join(service.folder, "ticket"),
                    "appId=IDAXXXXX", "orderNo=ord1", "code=0").decode().strip()
        for language in PROGRAMS:
            reason = missing(language)
            if reason:
                print(f"SKIPPED: the client for {language}: {reason}")
                continue
            with tempfile.TemporaryDirectory() as folder:
                words = command(language, folder)
                out = os.path.join(folder, "out")
                given = [CLIENTS, service.socket, paths["payload"], paths["result"], sign, out]
                told = subprocess.run([*words, *given], stdout=subprocess.PIPE, check=True, timeout=120).stdout.decode().split("\n")
                assert told == ["check holds", "verify true", "open None", "other other-order", ""], (language, told)
                with open(out, "rb") as file:
                    assert file.read() == video, language
                assert not [name for name in os.listdir(folder) if name.startswith("out") and name != "out"], language
                cutting = Cutting(os.path.join(folder, "cutting"), video)
                given[1] = os.path.join(folder, "cutting")
                given[5] = os.path.join(folder, "cut")
                for cutting.kind in Cutting.KINDS:
                    before = cutting.count
                    told = subprocess.run([*words, *given], stdout=subprocess.PIPE, check=True, timeout=120).stdout.decode().split("\n")
                    outcome = "431" if cutting.kind == "HTML" else "failed"
                    wanted = [f"{name} {outcome}" for name in ("check", "verify", "open", "other")]
                    # A client that keeps connections may find one closed: not each request need arrive.
                    assert told == [*wanted, ""] and cutting.count > before + 1, (language, cutting.kind, told)
                    assert not [name for name in os.listdir(folder) if name.startswith("cut") and name != "cutting"], language
                cutting.kind = "receipt"
                told = subprocess.run([*words, *given], stdout=subprocess.PIPE, check=True, timeout=120).stdout.decode().split("\n")
                assert told[0] == "check " + {"java": "nothing", "go": "<nil>"}.get(language, "None"), (language, told)
                os.path.exists(given[5]) and os.unlink(given[5])
                cutting.listener.close()
                # A disk that is full after half of the video.
                given[1] = service.socket
                given[5] = os.path.join(folder, "full")
                full = ["bash", "-c", 'trap "" XFSZ; ulimit -f 400; exec "$@"', "-", *words, *given]
                told = subprocess.run(full, stdout=subprocess.PIPE, check=True, timeout=120).stdout.decode().split("\n")
                assert told == ["check holds", "verify true", "open failed", "other other-order", ""], (language, "full", told)
                assert not [name for name in os.listdir(folder) if name.startswith("full")], language
            ran.append(language)
        service.stop()
    print(f"clients: {', '.join(ran)}")
