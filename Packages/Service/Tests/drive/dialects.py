# SPDX-License-Identifier: Apache-2.0
"""HTTP as proxies, monitors and libraries send it: what RFC 9110 and 9112 allow is answered, what is not used is ignored,
and what is refused is refused by its name, in one answer."""
import gzip
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor

from harness import Service, Short, read_answer

DOCUMENT = b'{"isSuccess":true,"orderNo":"ord1"}'
NEXT = b"GET /next HTTP/1.1\r\nHost: evidence\r\n\r\n"


def post(fields: str = "", version: str = "1.1", body: bytes = DOCUMENT, target: str = "/v1/inspect", coding: str | None = None,
         kind: str = "Content-Type: application/json\r\n", host: str = "Host: evidence\r\n") -> bytes:
    length = f"Content-Length: {len(body)}\r\n" if coding is None else coding
    return f"POST {target} HTTP/{version}\r\n{host}{kind}{length}{fields}\r\n".encode() + body


def get(target: str = "/healthz", fields: str = "", version: str = "1.1", method: str = "GET", host: str = "Host: evidence\r\n") -> bytes:
    return f"{method} {target} HTTP/{version}\r\n{host}{fields}\r\n".encode("latin-1" if "\xe4" in fields else "utf-8")


def chunks(trailers: str = "") -> bytes:
    return b"23\r\n" + DOCUMENT + b"\r\n0\r\n" + trailers.encode() + b"\r\n"


CHUNKED = "Transfer-Encoding: chunked\r\n"
CODES = "/v1/codes/66660004"

# Name, request, status, and for a refusal its code and what its sentence names.
CASES: list[tuple] = [
    # Proxies.
    ("nginx's proxy_pass", post("Connection: close\r\n", "1.0", host="Host: localhost\r\n"), 200),
    ("HTTP/1.0 without Host", get(CODES, version="1.0", host=""), 200),
    ("HTTP/1.0 that is kept alive", get(CODES, "Connection: Keep-Alive\r\n", "1.0"), 200),
    ("HTTP/1.0 with a body", post(version="1.0"), 200),
    ("HTTP/1.0 with an expectation of HTTP/1.1", post("Expect: 100-continue\r\n", "1.0"), 200),
    ("HTTP/1.0 in chunks", post(version="1.0", coding=CHUNKED, body=chunks()), 400, "bad-head", "HTTP/1.0"),
    ("a later HTTP/1", get(CODES, version="1.2"), 200),
    ("two X-Forwarded-For", post("X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-For: 10.0.0.2\r\n"), 200),
    ("two Via", post("Via: 1.1 a\r\nVia: 1.0 b\r\n"), 200),
    ("Forwarded, with quotation marks", post('Forwarded: for="[2001:db8::1]:4711";proto=https\r\n'), 200),
    ("two cookies", post("Cookie: a=b\r\nCookie: c=d\r\n"), 200),
    ("a trace's headers, twice", post("traceparent: 00-1-2-01\r\nbaggage: a=b\r\nbaggage: c=d\r\n"), 200),
    ("UTF-8 in a header that nobody uses", post("X-User: 李雷\r\n"), 200),
    ("Latin-1 in a header that nobody uses", post().replace(b"\r\n\r\n", b"\r\nX-City: K\xf6ln\r\n\r\n", 1), 200),
    ("an empty value", post("X-Empty:\r\nX-Blank:  \t \r\n"), 200),
    ("blanks around values", post("X-A: \t b \t \r\n"), 200),
    ("a tab in a value", post("User-Agent: a\tb\r\n"), 200),
    ("no blank behind the colon", post(host="Host:evidence\r\n"), 200),
    ("names in capitals", post(host="HOST: evidence\r\n", kind="CONTENT-TYPE: application/json\r\n"), 200),
    ("every character of a token", post("!#$%&'*+-.^_`|~9aZ: x\r\n"), 200),
    ("hop-by-hop headers", post("Connection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\nProxy-Connection: close\r\n"), 200),
    ("two Connection", post("Connection: keep-alive\r\nConnection: X-Hop\r\n"), 200),
    ("Connection with empty elements", post("Connection: , keep-alive,,\r\n"), 200),
    # Libraries.
    ("Java's default client", post("Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"
                                   "Upgrade: h2c\r\nUser-Agent: Java-http-client/17\r\n"), 200),
    ("an offered websocket", get(CODES, "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"), 200),
    ("curl --http2", post("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"), 200),
    ("Node's fetch", post("accept: */*\r\naccept-language: *\r\nsec-fetch-mode: cors\r\nuser-agent: node\r\naccept-encoding: gzip, deflate\r\n"), 200),
    ("a page in a browser", post("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"), 403, "from-a-browser", "sec-fetch-site"),
    ("a page in an old browser", post("Origin: null\r\n"), 403, "from-a-browser", "origin"),
    ("two Accept", post("Accept: application/json\r\nAccept: text/plain\r\n"), 200),
    ("Accept-Encoding", post("Accept-Encoding: gzip, deflate, br, zstd\r\n"), 200),
    ("conditions", post('If-None-Match: "x"\r\nIf-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT\r\nRange: bytes=0-1\r\n'), 200),
    ("Content-Encoding: identity", post("Content-Encoding: identity\r\n"), 200),
    ("Content-Encoding: Identity, with empty elements", post("Content-Encoding: , Identity,\r\n"), 200),
    ("an encoded body", post("Content-Encoding: identity\r\nContent-Encoding: gzip\r\n"), 415, "encoded-body", "Content-Encoding"),
    ("Expect in capitals", post("Expect: 100-Continue\r\n"), 200),
    ("an empty Expect", post("Expect:\r\n"), 200),
    ("Expect twice", post("Expect: 100-continue\r\nExpect: 100-continue\r\n"), 200),
    ("an unknown expectation", post("Expect: tea\r\n"), 417, "expectation", "Expect"),
    ("a charset in quotation marks", post(kind='Content-Type: application/json; charset="UTF-8"\r\n'), 200),
    ("a charset and an empty parameter", post(kind="Content-Type: application/json ;charset=utf-8;\r\n"), 200),
    ("a parameter that JSON has not", post(kind="Content-Type: application/json; odata=verbose\r\n"), 200),
    ("another charset", post(kind="Content-Type: application/json; charset=gbk\r\n"), 415, "wrong-content-type", "UTF-8"),
    ("a form", post(kind="Content-Type: application/x-www-form-urlencoded\r\n"), 415, "wrong-content-type", "application/json"),
    ("a multipart form", post(kind="Content-Type: multipart/form-data; boundary=x\r\n"), 415, "wrong-content-type", "application/json"),
    ("no Content-Type", post(kind=""), 415, "wrong-content-type", "application/json"),
    ("a digest of the body", post("Digest: SHA-256=x\r\nContent-MD5: x\r\nContent-Digest: sha-256=:x:\r\n"), 200),
    ("an announced trailer", post("Trailer: X-Checksum\r\n", coding=CHUNKED, body=chunks("X-Checksum: 1\r\n")), 200),
    ("a trailer that nobody announced", post(coding=CHUNKED, body=chunks("X-Checksum: 1\r\n")), 200),
    ("a length in a trailer", post(coding=CHUNKED, body=chunks("Content-Length: 1\r\n")), 400, "bad-head", "Content-Length"),
    ("an expectation and a date in trailers", post(coding=CHUNKED, body=chunks("Expect: 100-continue\r\nDate: x\r\nServer-Timing: a\r\n")), 200),
    ("a token in a trailer", post(coding=CHUNKED, body=chunks("Authorization: Bearer x\r\n")), 400, "bad-head", "Authorization"),
    ("chunked in capitals", post(coding="Transfer-Encoding: Chunked\r\n", body=chunks()), 200),
    ("empty elements before and behind chunked", post(coding="Transfer-Encoding: ,, Chunked ,\r\n", body=chunks("X: y\r\n")), 200),
    ("blanks around chunked", post(coding="Transfer-Encoding: \t chunked \t\r\n", body=chunks()), 200),
    ("no body in an odd coding", post(target="/v1/check?orderNo=ord1", coding="Transfer-Encoding: chunked,\r\n", body=b"0\r\n\r\n"), 400, "no-body", "no body"),
    ("malformed chunks in an odd coding", post(coding="Transfer-Encoding: chunked,\r\n", body=b"x"), 400, "bad-head", "chunks"),
    ("extensions of chunks", post(coding=CHUNKED, body=chunks().replace(b"23\r\n", b'23;a="b"\r\n', 1)), 200),
    ("zeros before a chunk's size", post(coding=CHUNKED, body=chunks().replace(b"23\r\n", b"00023\r\n", 1)), 200),
    # Targets and hosts.
    ("the whole URL", get("http://evidence" + CODES), 200),
    ("the whole URL in capitals", get("HTTP://EVIDENCE" + CODES), 200),
    ("the whole URL, with a port", get("http://evidence:80" + CODES, host="Host: evidence:80\r\n"), 200),
    ("another host in the URL", get("http://other" + CODES), 200),
    ("the whole URL in HTTP/1.0, without Host", get("http://evidence" + CODES, version="1.0", host=""), 200),
    ("the whole URL, with a dot", get("http://evidence." + CODES), 200),
    ("a user in the URL", get("http://user@evidence" + CODES), 400, "bad-head", "host"),
    ("a URL without a host", get("http://" + CODES), 400, "bad-head", "host"),
    ("the URL of another scheme", get("http+unix://x" + CODES), 400, "bad-head", "/"),
    ("blanks around a host", get(CODES, host="Host: \t evidence \t\r\n"), 200),
    ("an empty Host", get(CODES, host="Host:\r\n"), 200),
    ("an IPv6 Host", get(CODES, host="Host: [::1]:8080\r\n"), 200),
    ("a Host with an underscore", get(CODES, host="Host: my_service\r\n"), 200),
    ("a Host that is none", get(CODES, host="Host: a b\r\n"), 400, "bad-head", "Host"),
    ("a Host in UTF-8", get(CODES, host="Host: übung\r\n"), 400, "bad-head", "Host"),
    ("no Host", get(CODES, host=""), 400, "bad-head", "Host"),
    ("an empty line before a request", b"\r\n" + get(CODES), 200),
    ("two empty lines before a request", b"\r\n\r\n" + get(CODES), 200),
    ("a query without a value", get(CODES + "?"), 200),
    *[(f"the query {query}", get(CODES + "?" + query), 400, "bad-query", "the value of domain")
      for query in ("domain=serve?r", "domain=a=b", "domain=a&", "&domain=a", "domain=a&&", "dom%61in=a", "domain=a/b:c@d;e,f", "domain=%7ea")],
    *[(f"an absent value as {text}", post(target=f"/v1/check?orderNo=ord1&userId={text}"), 400, "bad-query", "absent")
      for text in ("undefined", "null", "None", "nil", "%3Cnil%3E", "NaN", "%5Bobject%20Object%5D")],
    ("an order that is absent", post(target="/v1/open?orderNo=undefined"), 400, "bad-query", "absent"),
    *[(f"the query {query}", get(CODES + "?" + query), 400, "bad-query", word)
      for query, word in (("domain=a+b", "%2B"), ("domain=a|b", "encoded"), ("domain=[a]", "encoded"), ("domain=%zz", "%"), ("domain=%ff", "UTF-8"),
                          ("domain=a%00", "control"), ("domain", "name=value"), ("=a", "name=value"))],
    ("an unknown parameter", get(CODES + "?lang=zh"), 400, "bad-query", "lang"),
    ("a parameter twice", get(CODES + "?domain=a&domain=b"), 400, "bad-query", "domain"),
    # Methods.
    ("HEAD", get(CODES, method="HEAD"), 200),
    ("HEAD of a path for POST", get("/v1/check?orderNo=a", method="HEAD"), 405),
    ("OPTIONS of a path", get("/v1/check", method="OPTIONS"), 200),
    ("OPTIONS *", get("*", method="OPTIONS"), 200),
    ("haproxy's httpchk", b"OPTIONS / HTTP/1.0\r\n\r\n", 200),
    ("a preflight", get("/v1/check", "Origin: http://x\r\nAccess-Control-Request-Method: POST\r\n", method="OPTIONS"), 403, "from-a-browser", "origin"),
    ("an unknown method", get("/v1/check", method="PROPFIND"), 405, "wrong-method", "POST"),
    ("a method in small letters", get(CODES, method="get"), 405, "wrong-method", "GET"),
    ("a GET with a body", get(CODES, "Content-Length: 2\r\n") + b"{}", 200),
    ("OPTIONS with a body", get("/v1/check", "Content-Length: 2\r\n", method="OPTIONS") + b"{}", 200),
    ("a GET with a length of zero", get(CODES, "Content-Length: 0\r\nContent-Type: application/json\r\n"), 200),
    # Bodies that are none.
    ("no body", get("/v1/check?orderNo=ord1", "Content-Type: application/json\r\n", method="POST"), 400, "no-body", "no body"),
    ("a length of zero", post(target="/v1/check?orderNo=ord1", body=b""), 400, "no-body", "no body"),
    ("a length of zero and no type", post(target="/v1/check?orderNo=ord1", body=b"", kind=""), 400, "no-body", "no body"),
    ("no chunks", post(target="/v1/check?orderNo=ord1", coding=CHUNKED, body=b"0\r\n\r\n"), 400, "no-body", "no body"),
    *[(f"a body that is {body!r}", post(target="/v1/check?orderNo=ord1", body=body), 400, "no-body", "no body")
      for body in (b" \r\n", b"None", b"undefined\n", b"null", b"[object Object]", b'""', b"nil")],
    *[(f"what is no document: {body!r}", post(target="/v1/check?orderNo=ord1", body=body), 400, code, word)
      for code, word, bodies in (
          ("no-body", "no body", (b"{}", b" {\r\n}\n")),
          ("invalid-json", "", (b"NULL", b"(null)", b"<nil>", b"nan", b"false", b"0", b"[]", b"\"None\"", b"''", b"[object Blob]", b"[object Promise]", b"<Buffer 7b 7d>",
                                b"java.io.FileInputStream@1b2c", b"Resource id #5", b"b'{}'", b"result.json", b"@result.json", b"file:///data/result.json",
                                b"<html>502 Bad Gateway</html>", b"--x\r\nContent-Disposition: form-data\r\n\r\n{}\r\n--x--", b"data=%7B%7D", b"e30=",
                                b"data:application/json;base64,e30=", b"\"{}\"", b"BZh91AY", b"PK\x03\x04", b"\x78\x9c\x01", b"\0\0\0\0", b"\xff\xfe{\0}\0",
                                b"\xef\xbb\xbf{}")),
          # A buffer that is too long, a file over which a shorter one was written, a body that was sent twice.
          ("invalid-json", "after the end", tuple(DOCUMENT + rest for rest in (b"\0", b"\0" * 4096, DOCUMENT, b'"}', b"\r\n\r\n--x--"))))
      for body in bodies],
    *[(f"a {name} body", post(target=target, body=body), 415, "encoded-body", "compressed") for target in ("/v1/check?orderNo=ord1", "/v1/inspect")
      for name, body in (("gzip", gzip.compress(DOCUMENT)), ("zstd", b"\x28\xb5\x2f\xfd" + DOCUMENT))],
    ("half a document", post(target="/v1/check?orderNo=ord1", body=b'{"orderNo":"ord1","isSuccess":tr'), 400, "invalid-json", "ends too early"),
    ("half a document in chunks", post(target="/v1/check?orderNo=ord1", coding=CHUNKED, body=b'3\r\n{"a\r\n0\r\n\r\n'), 400, "invalid-json", "ends too early"),
    *[(f"no body for {path}", post(target=path, body=b""), 400, "no-body", "no body")
      for path in ("/v1/open?orderNo=ord1", "/v1/photo?orderNo=ord1", "/v1/inspect", "/v1/verify", "/v1/sign", "/v1/test/seal?orderNo=ord1")],
    *[(f"half a document for {path}", post(target=path, body=b'{"orderNo":"o'), 400, "invalid-json", "ends too early")
      for path in ("/v1/open?orderNo=ord1", "/v1/open?orderNo=ord1&range=0-1", "/v1/open?orderNo=ord1&plain=true", "/v1/photo?orderNo=ord1",
                   "/v1/inspect", "/v1/verify", "/v1/sign")],
    # What monitors ask for.
    *[(f"{path}: {name}", get(path + query, fields, version, method, host), 200)
      for path in ("/healthz", "/metrics")
      for name, query, fields, version, method, host in (
          ("a monitor of HTTP/1.0", "", "", "1.0", "GET", ""),
          ("curl", "", "User-Agent: curl/8\r\nAccept: */*\r\n", "1.1", "GET", "Host: x\r\n"),
          ("wget --spider", "", "Accept: */*\r\nAccept-Encoding: identity\r\nConnection: Keep-Alive\r\n", "1.1", "HEAD", "Host: x\r\n"),
          ("kubelet", "", "User-Agent: kube-probe/1.30\r\nConnection: close\r\n", "1.1", "GET", "Host: 10.1.2.3:8080\r\n"),
          ("Prometheus", "?name[]=a", "Accept: application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1\r\nAccept-Encoding: gzip\r\n"
           "X-Prometheus-Scrape-Timeout-Seconds: 10\r\n", "1.1", "GET", "Host: x\r\n"),
          ("a browser", "", "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nUpgrade-Insecure-Requests: 1\r\nCookie: 名=值\r\n", "1.1", "GET", "Host: x\r\n"),
          ("a query against caches", "?_=1700000000&x=a+b", "", "1.1", "GET", "Host: x\r\n"),
          ("a library that always has a type", "", "Content-Type: application/json\r\nContent-Length: 0\r\n", "1.1", "GET", "Host: x\r\n"),
          ("OPTIONS", "", "", "1.1", "OPTIONS", "Host: x\r\n"),
          ("Origin", "", "Origin: http://monitor\r\n", "1.1", "GET", "Host: x\r\n"),
          ("the headers of whom it stands behind", "", "Authorization: Basic dTrDtg==\r\nAuthorization: Bearer \xe4\r\nContent-Type: a\r\nContent-Type: b\r\n"
           "Content-Encoding: gzip\r\nAccept: \xe4\r\nExpect: tea\r\n", "1.1", "GET", "Host: x\r\n"),
          ("a path with its host", "", "", "1.1", "GET", "Host: \t x\r\n"))],
    *[(f"{path}: a GET with {name}", get(path, fields) + body, 200) for path in ("/healthz", "/metrics")
      for name, fields, body in (("a body", "Content-Type: application/json\r\nContent-Length: 2\r\n", b"{}"), ("chunks", CHUNKED, b"2\r\n{}\r\n0\r\n\r\n"),
                                 ("a body that never comes", "Content-Length: 900000000\r\n", b""))],
]


def fault(service: Service, case: tuple, step: int = 0) -> str | None:
    """`step`: how many bytes arrive at a time; 0 for all of them."""
    name, request, status, *refusal = case
    is_head = request.startswith(b"HEAD")
    with service.connect(5) as connection:
        for start in range(0, len(request) if step else 0, step or 1):
            connection.sendall(request[start:start + step])
            time.sleep(0.0005)
        if not step:
            connection.sendall(request)
        if is_head:
            head = connection.recv(1 << 13)
            found, headers, body = int(head.split()[1]), head.lower(), b""
            if head[head.index(b"\r\n\r\n") + 4:]:
                return f"{name}: HEAD with a body"
        else:
            found, headers, body = read_answer(connection)
        if found != status:
            return f"{name}: {found}, not {status}: {body[:200]!r}"
        if refusal:
            document = json.loads(body)
            if document["code"] != refusal[0] or refusal[1] not in document["title"]:
                return f"{name}: {document}"
        # One answer, and where the connection stays open the next request has its own.
        try:
            connection.sendall(NEXT)
            again = read_answer(connection)[0]
        except (Short, BrokenPipeError, ConnectionResetError):
            again = None
        except (TimeoutError, socket.timeout):
            return f"{name}: the connection stays open, and nothing is answered"
        closes = b"connection: close" in headers if is_head else headers.get("connection", "").lower() == "close"
        old = b"HTTP/1.0\r\n" in request
        if again != (None if closes or old and "keep-alive" not in str(headers).lower() else 404):
            return f"{name}: then {again}, {headers}"
    return None


def fault_of_invitation(service: Service, fields: str, is_invited: bool) -> str | None:
    """A client that waits until it is asked for its body."""
    with service.connect(5 if is_invited else 1) as connection:
        request = post(fields)
        connection.sendall(request[:-len(DOCUMENT)])
        try:
            found = connection.recv(1 << 10)
        except (TimeoutError, socket.timeout):
            found = b""
        if found != (b"HTTP/1.1 100 Continue\r\n\r\n" if is_invited else b""):
            return f"{fields!r}: {found!r}"
        connection.sendall(DOCUMENT)
        return None if read_answer(connection)[0] == 200 else f"{fields!r}: no answer"


EXPECTATIONS = [(f"Expect: {value}\r\n", True) for value in ("100-continue", "100-Continue", "100-continue \t", ", 100-continue", "100-continue,100-continue",
                                                             "100-continue\r\nExpect: 100-continue")] + [("Expect:\r\n", False)]


def check(service: Service) -> None:
    """Needs a service with `--allow-sign` and `--allow-seal`."""
    with ThreadPoolExecutor(8) as pool:
        faults = [one for one in pool.map(lambda case: fault(service, case), CASES) if one]
        # An engine sees the end of chunks, and trailers, in pieces then.
        chunked = [case for case in CASES if b"chunked" in case[1].lower() and case[2] == 200]
        for step in (1, 3):
            faults += [f"{step} at a time: {one}" for one in pool.map(lambda case: fault(service, case, step), chunked) if one]
        faults += [one for one in pool.map(lambda case: fault_of_invitation(service, *case), EXPECTATIONS) if one]
    assert not faults, "\n".join(faults)
    print(f"{len(CASES)} requests as proxies, monitors and libraries send them")
