# SPDX-License-Identifier: Apache-2.0
"""Requests of which two servers could see two: what the service answers to each, with the engine that is installed.

Each is followed by a second request on the same connection, for a path of its own. Where a request is refused for its
framing the connection must end, so that the second is never answered.
"""
import socket
from concurrent.futures import ThreadPoolExecutor

from harness import Service, Short, read_answer

NEXT = b"GET /next HTTP/1.1\r\nHost: evidence\r\n\r\n"
POST = b"POST /v1/verify HTTP/1.1\r\nHost: evidence\r\nContent-Type: application/json\r\n"
GET = b"GET /healthz HTTP/1.1\r\nHost: evidence\r\n"
CHUNK = b"2\r\n{}\r\n0\r\n\r\n"

# Name, request, what is answered to it (0: nothing, the connection ends), whether the next request is then answered.
CASES = [
    ("length and coding", POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK, 400, False),
    ("coding and length", POST + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n" + CHUNK, 400, False),
    ("two lengths that differ", POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, False),
    ("two lengths that are equal", POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400, False),
    ("a list of lengths", POST + b"Content-Length: 2, 2\r\n\r\n{}", 400, False),
    ("a length with a plus sign", POST + b"Content-Length: +2\r\n\r\n{}", 400, False),
    ("a negative length", POST + b"Content-Length: -2\r\n\r\n{}", 400, False),
    ("a length in hexadecimal", POST + b"Content-Length: 0x2\r\n\r\n{}", 400, False),
    ("a length with a blank inside", POST + b"Content-Length: 2 2\r\n\r\n{}", 400, False),
    ("an empty length", POST + b"Content-Length:\r\n\r\n{}", 400, False),
    ("a length beyond 64 bits", POST + b"Content-Length: 18446744073709551618\r\n\r\n{}", 400, False),
    ("length under another name", POST + b"Content_Length: 2\r\n\r\n", 400, True),
    ("a blank before the colon of a length", POST + b"Content-Length : 2\r\n\r\n{}", 400, False),
    ("a blank before the colon of a coding", POST + b"Transfer-Encoding : chunked\r\n\r\n" + CHUNK, 400, False),
    ("two codings", POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + CHUNK, 501, False),
    ("chunked twice", POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + CHUNK, 501, False),
    ("chunked last of a list", POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNK, 501, False),
    ("chunked first of a list", POST + b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNK, 501, False),
    ("an unknown coding", POST + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNK, 501, False),
    ("a coding in quotation marks", POST + b"Transfer-Encoding: \"chunked\"\r\n\r\n" + CHUNK, 501, False),
    ("a vertical tab before chunked", POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNK, 400, False),
    ("a folded coding", POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + CHUNK, 400, False),
    ("a folded length", POST + b"Content-Length:\r\n %d\r\n\r\n" % len(NEXT) + NEXT, 400, False),
    ("a length that is folded in two", POST + b"Content-Length: 1\r\n 2\r\n\r\n{}          ", 400, False),
    ("a request behind an empty name", GET + b": x\r\n" + NEXT, 400, False),
    ("a length behind an empty name", POST + b": x\r\nContent-Length: 2\r\n\r\n{}", 400, False),
    ("an empty name behind a length", POST + b"Content-Length: 2\r\n: x\r\n\r\n{}", 400, False),
    ("a blank for a name", GET + b" : x\r\n" + NEXT, 400, False),
    ("NUL in a length", POST + b"Content-Length: 1\x008\r\n\r\n{\"isSuccess\":true}", 400, False),
    ("NUL behind chunked", POST + b"Transfer-Encoding: chunked\x00x\r\n\r\n" + CHUNK, 400, False),
    ("a line feed before a length", POST + b"X: a\nContent-Length: 2\r\n\r\n{}", 400, False),
    ("a line feed behind a length", POST + b"Content-Length: 2\n\r\n{}", 400, False),
    ("no blank behind a colon", b"GET /healthz HTTP/1.1\r\nHost:evidence\r\n\r\n", 200, True),
    ("blanks around a value", b"GET /healthz HTTP/1.1\r\nHost: \t evidence \r\n\r\n", 200, True),
    ("a folded field", GET + b"X-A: b\r\n c\r\n\r\n", 400, False),
    ("a field that begins with a blank", GET + b" X-A: b\r\n\r\n", 400, False),
    ("an empty name", GET + b": b\r\n\r\n", 400, False),
    ("a field without a colon", GET + b"X-A\r\n\r\n", 400, False),
    ("NUL in a value", GET + b"X-A: b\x00c\r\n\r\n", 400, False),
    ("NUL in a name", GET + b"X-\x00A: b\r\n\r\n", 400, False),
    ("a carriage return in a value", GET + b"X-A: b\rc\r\n\r\n", 400, False),
    ("lines that end with a line feed alone", b"GET /healthz HTTP/1.1\nHost: evidence\n\n", 400, False),
    # A line that ends the head for libmicrohttpd, though no reader of the standard: what follows would be the body. Bare
    # line feeds make up for its bytes.
    *[(f"a line {line!r} in a head", POST + b"Content-Length: %d\r\n" % len(NEXT) + line + b"Pad: x\n" * feeds + b"\r\n" + NEXT, 400, False)
      for line, feeds in ((b":\n", 1), (b":\r\n", 1), (b":\r\n", 0), (b"\0\n", 1), (b"\0\n", 0), (b"\0\r\n", 1), (b": y\r\n", 3), (b"\0Foo: bar\n", 8),
                          (b"\0Foo: bar\n", 0), (b"X: y\0hid\r\n", 4), (b"X: y\0\n", 0), (b"\n", 0), (b"\r\r\n", 0), (b"X: y\r", 0), (b"X: y\r\0", 0),
                          (b":\0\n", 0))],
    ("a NUL and a line feed behind a host", POST.replace(b"evidence\r\n", b"evidence\0\n") + b"Content-Length: 2\r\n\r\n{}", 400, False),
    ("a NUL and a line feed behind a length", POST + b"Content-Length: 2\0\n\r\n{}", 400, False),
    ("a NUL and a line feed behind a version", b"GET /healthz HTTP/1.1\0\nHost: evidence\r\n\r\n", 400, False),
    ("a NUL and a line feed before a request", b"\0\n" + GET + b"\r\n", 400, False),
    ("a line feed before a request", b"\n" + GET + b"\r\n", 400, False),
    ("an empty line before a request", b"\r\n" + GET + b"\r\n", 200, True),
    ("two hosts", b"GET /healthz HTTP/1.1\r\nHost: evidence\r\nHost: other\r\n\r\n", 400, False),
    ("no host", b"GET /healthz HTTP/1.1\r\n\r\n", 400, False),
    ("a host in the target", b"GET http://other/healthz HTTP/1.1\r\nHost: evidence\r\n\r\n", 200, True),
    ("a GET with a body", GET + b"Content-Length: 2\r\n\r\n{}", 200, False),
    ("a GET with a chunked body", GET + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNK, 200, False),
    ("a GET whose body is a request", GET + b"Content-Length: %d\r\n\r\n" % len(NEXT), 200, False),
    ("NUL escaped in the path", b"GET /healthz%00x HTTP/1.1\r\nHost: evidence\r\n\r\n", 400, False),
    ("NUL in the path", b"GET /healthz\x00x HTTP/1.1\r\nHost: evidence\r\n\r\n", 400, False),
    ("an escape in the path", b"GET /health%7A HTTP/1.1\r\nHost: evidence\r\n\r\n", 400, False),
    ("a dot segment", b"GET /v1/../healthz HTTP/1.1\r\nHost: evidence\r\n\r\n", 404, True),
    ("two solidi", b"GET //healthz HTTP/1.1\r\nHost: evidence\r\n\r\n", 404, True),
    ("HTTP/1.0", b"GET /healthz HTTP/1.0\r\nHost: evidence\r\n\r\n", 200, False),
    ("HTTP/1.2", b"GET /healthz HTTP/1.2\r\nHost: evidence\r\n\r\n", 200, True),
    ("two blanks in the first line", b"GET  /healthz HTTP/1.1\r\nHost: evidence\r\n\r\n", 400, False),
    ("a chunk's extension", POST + b"Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n", 422, True),
    ("a chunk's size with a plus sign", POST + b"Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n", 0, False),
    ("a chunk's size with 0x", POST + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n", 0, False),
    ("a chunk that is longer than it says", POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n", 0, False),
    ("a chunk that ends with a line feed alone", POST + b"Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n", 0, False),
    ("HTTP/1.0 in chunks", POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNK, 400, False),
    *[("behind the body: " + name, POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + name.encode() + b": 2\r\n\r\n", 400, False)
      for name in ("Content-Length", "transfer-encoding", "Host", "Authorization", "Content-Type")],
    # A line behind the body that ends it for libmicrohttpd, or that another reader takes for another line.
    *[(f"a line {line!r} behind the body", POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + line + b"\r\n", 400, False)
      for line in (b"\0Foo: bar\r\n", b"\0\r\n", b"X: y\r\n: y\r\n", b": y\r\n", b":\r\n", b"X: y\r\n z\r\n", b" X: y\r\n", b"X: y\0z\r\n", b"X: y\n", b"X: y\rz\r\n", b"X\r\n",
                   b"\0\n", b"X: y\0\n", b"X : y\r\n")],
    ("a carriage return in a chunk's extension", POST + b"Transfer-Encoding: chunked\r\n\r\n2;a\rb\r\n{}\r\n0\r\n\r\n", 400, False),
    ("a line feed in a chunk's extension", POST + b"Transfer-Encoding: chunked\r\n\r\n2;a\n{}\r\n0\r\n\r\n", 400, False),
    ("NUL in a chunk's extension", POST + b"Transfer-Encoding: chunked\r\n\r\n2;a\0b\r\n{}\r\n0\r\n\r\n", 400, False),
    ("a field behind the body", POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\nZ:\r\n\r\n", 422, True),
    ("Trailer", POST + b"Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n" + CHUNK, 422, True),
    ("Upgrade, which is not taken up", GET + b"Connection: upgrade\r\nUpgrade: h2c\r\n\r\n", 200, True),
    ("an expectation without a body", GET + b"Expect: 100-continue\r\n\r\n", 200, False),
    ("an expectation and an empty body", POST + b"Expect: 100-continue\r\nContent-Length: 0\r\n\r\n", 400, False),
    ("an expectation and a body", POST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}", 422, True),
    ("an unknown expectation", POST + b"Expect: tea\r\nContent-Length: 2\r\n\r\n{}", 417, False),
    ("an encoded body", POST + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415, False),
    ("a page in a browser", POST + b"Origin: http://x\r\nContent-Length: 2\r\n\r\n{}", 403, False),
    ("a page of the same origin", GET.replace(b"healthz", b"v1/codes/1") + b"Sec-Fetch-Site: same-origin\r\n\r\n", 403, False),
    ("a second authorization", GET + b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n", 200, True),
    ("an empty element and chunked", POST + b"Transfer-Encoding: , chunked\r\n\r\n" + CHUNK, 422, False),
    ("a blank behind chunked", POST + b"Transfer-Encoding: chunked \r\n\r\n" + CHUNK, 422, False),
    ("an empty coding and chunked", POST + b"Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK, 400, False),
    ("an empty length and another", POST + b"Content-Length:\r\nContent-Length: 2\r\n\r\n{}", 400, False),
    ("an empty Accept and another", POST + b"Accept:\r\nAccept: */*\r\nContent-Length: 2\r\n\r\n{}", 400, False),
    ("an empty coding and a length", POST + b"Transfer-Encoding:\r\nContent-Length: 2\r\n\r\n{}", 400, False),
    ("an empty element and no chunk", POST + b"Transfer-Encoding: chunked,\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n", 400, False),
    ("an empty element and an end of line feeds", POST + b"Transfer-Encoding: chunked,\r\n\r\n2\n{}\n0\n\n", 400, False),
    ("a form", b"POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 415, True),
    ("a name twice in the query", b"POST /v1/open?orderNo=a&orderNo=b HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
     b"Content-Length: 2\r\n\r\n{}", 400, True),
]


# What libmicrohttpd 0.9.75 does not show to the service, or answers by itself: docs/LIMITATIONS.md.
KNOWN = {
    "a length beyond 64 bits": (413, False),
    "a chunk's size with a plus sign": (400, False),
    "a chunk's size with 0x": (400, False),
    "a chunk that is longer than it says": (400, False),
    "a chunk that ends with a line feed alone": (400, False),
}


def answers(service: Service, request: bytes) -> list[int]:
    """The statuses of all answers to a request and the next one, until the connection ends or nothing more comes."""
    connection = service.connect(2)
    found = []
    try:
        try:
            connection.sendall(request + NEXT)
        except (BrokenPipeError, ConnectionResetError):
            pass
        while True:
            status, _, _ = read_answer(connection)
            found.append(status)
    except (Short, ConnectionResetError):
        pass
    except (TimeoutError, socket.timeout):
        found.append(-1)  # It waits for more: nothing was refused.
    finally:
        connection.close()
    return found


def check(service: Service) -> None:
    """Every case: as a strict server has it, or as is known of this engine."""
    assert KNOWN.keys() <= {name for name, _, _, _ in CASES}

    def fault(case: tuple[str, bytes, int, bool]) -> str | None:
        name, request, status, goes_on = case
        wanted = [(status, goes_on)] + ([KNOWN[name]] if name in KNOWN else [])
        lists = [([status] if status else []) + ([404] if goes_on else []) for status, goes_on in wanted]
        found = [one for one in answers(service, request) if one != -1]
        return None if found in lists else f"{name}: {found}, not {lists}"

    with ThreadPoolExecutor(16) as pool:
        faults = [one for one in pool.map(fault, CASES) if one]
    assert not faults, "\n".join(faults)
    print(f"{len(CASES)} requests that two servers could read in two ways; {len(KNOWN)} as libmicrohttpd has them")
