# SPDX-License-Identifier: Apache-2.0
"""What Flask gives, sent on: main.py CLIENTS SOCKET PORT."""
import array, sys, tempfile
sys.path.insert(0, sys.argv[1])
from evidence_client import EvidenceProblem, EvidenceService
from flask import Flask, jsonify, request

service = EvidenceService(sys.argv[2])
app = Flask(__name__)


def saved(order):
    with tempfile.NamedTemporaryFile() as kept:
        request.files["result"].save(kept.name)
        return service.check(kept.name, order, userId="u-1")


WAYS = {
    "stream": lambda order: service.check(request.stream, order, userId="u-1"),
    "length": lambda order: service.check(request.stream, order, userId="u-1", length=request.content_length),
    # What WSGI itself gives has no end: reading beyond the body waits for the next request.
    "wsgi": lambda order: service.check(request.environ["wsgi.input"], order, userId="u-1", length=request.content_length),
    "bytes": lambda order: service.check(request.get_data(), order, userId="u-1"),
    "bytearray": lambda order: service.check(bytearray(request.get_data()), order, userId="u-1"),
    "view": lambda order: service.check(memoryview(array.array("B", request.get_data())), order, userId="u-1"),
    "file": lambda order: service.check(request.files["result"], order, userId="u-1"),
    "file-stream": lambda order: service.check(request.files["result"].stream, order, userId="u-1"),
    "file-path": saved,
}


@app.post("/<way>/<order>")
def check(way, order):
    try:
        return jsonify(passed=WAYS[way](order)["verdict"] == "holds")
    except EvidenceProblem as problem:
        return jsonify(code=problem.code), problem.status


app.run("127.0.0.1", int(sys.argv[3]))
