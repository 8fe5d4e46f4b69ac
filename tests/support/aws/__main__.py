"""A small AWS on loopback, as a process of its own: what moto cannot do.

    python -m tests.support.aws FOLDER

It prints its address, reads FOLDER/world.json at each request and appends what it was asked to
FOLDER/asked.jsonl.

Requests arrive in AWS's own protocols and are checked against botocore's service models; a service
is one file, named in `SERVICES`, and an operation is a function of it: what was asked, and the
world, to the answer. Beside what the services read, a world has

    errors  [{"operation", "code", "on": [numbers]}]    refused with one of AWS's documented codes
    faults  [{"operation", "fault", "on": [numbers]}]   `reset`: no answer; `half`: half of one
    denied  ["ce:GetTags", …]   actions that no caller may do, each refused as its service does
    clock   seconds by which AWS's clock is ahead of this machine's

`on` counts the requests of that operation since the log was begun, from 1. What `accounts` says of
an account, and of a region in it, stands for the same of the world where the caller is there.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from collections import Counter
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

from botocore import xform_name

from tests.support.aws import s3
from tests.support.aws.protocol import Call, Refusal
from tests.support.aws.services import (
    batch,
    bcm_data_exports,
    cloudwatch,
    cost_explorer,
    ec2,
    ecs,
    organizations,
    pricing,
    sagemaker,
    savingsplans,
    sts,
    tagging,
)

SERVICES: dict[str, ModuleType] = {
    "batch": batch,
    "bcm-data-exports": bcm_data_exports,
    "ce": cost_explorer,
    "ec2": ec2,
    "ecs": ecs,
    "monitoring": cloudwatch,
    "organizations": organizations,
    "pricing": pricing,
    "s3": s3,
    "sagemaker": sagemaker,
    "savingsplans": savingsplans,
    "sts": sts,
    "tagging": tagging,
}
"""By the name that requests are signed for."""


class Fake:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._writing = Lock()
        self._made: Counter[tuple[str, str]] = Counter()
        self._mark: tuple[int, int] = (0, 0)
        self._shown: dict[str, Any] = {}

    def answer(self, call: Call) -> tuple[dict[str, Any], str]:
        """The answer, and the fault that the way back is to have."""
        number, used = self._write_down(call)
        world = self._world()
        code = _meant(world.get("errors", []), call, number).get("code")
        if code:
            raise Refusal(code, "injected")
        call.refuse(world.get("denied", []), world.get("denial", ""))
        call.check()
        if call.service == "ec2":
            ec2.tried(call.asked)
        world = sts.shown(call, {**world, "serial": number}, used)
        operation = getattr(SERVICES[call.service], xform_name(call.operation))
        fault = _meant(world.get("faults", []), call, number).get("fault", "")
        return operation(call.asked, {**world, "region": call.region}), fault

    def clock(self) -> float:
        """Seconds since 1970 by this AWS."""
        return time.time() + float(self._world().get("clock", 0))

    def _world(self) -> dict[str, Any]:
        """As the file says; read again only when it is another."""
        file = self.folder / "world.json"
        stat = file.stat()
        mark = (stat.st_mtime_ns, stat.st_size)
        if mark != self._mark:
            self._shown, self._mark = json.loads(file.read_text()), mark
        return self._shown

    def _write_down(self, call: Call) -> tuple[int, int]:
        """The how-manieth request of its operation this one is, and of its key."""
        log = self.folder / "asked.jsonl"
        line = {"operation": call.operation, "asked": call.asked, "key": call.access_key}
        line["region"] = call.region
        with self._writing, log.open("a") as file:
            if not file.tell():
                self._made.clear()
            file.write(json.dumps(line, default=lambda moment: moment.timestamp()) + "\n")
            self._made.update([("operation", call.operation), ("key", call.access_key)])
            return self._made["operation", call.operation], self._made["key", call.access_key]


def _meant(planned: list[dict[str, Any]], call: Call, number: int) -> dict[str, Any]:
    meant = (p for p in planned if p["operation"] == call.operation and number in p["on"])
    return next(meant, {})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or the body waits 40 ms for the client to acknowledge the head
    fake: Fake

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, *_: object) -> None:
        """Nothing: asked.jsonl is the log."""

    def _answer(self, body: bytes) -> None:
        call = Call.of(self.command, self.path, dict(self.headers.items()), body)
        fault = ""
        try:
            answer, fault = self.fake.answer(call)
            status, headers, said = call.encoded(answer)
        except Refusal as refusal:
            status, headers, said = call.refused(refusal)
        if fault == "reset":
            self._hang_up()
        else:
            self._send(status, headers, said, half=fault == "half")

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The Date of an answer."""
        return formatdate(self.fake.clock() if timestamp is None else timestamp, usegmt=True)

    def _hang_up(self) -> None:
        """Closes with RST, as a load balancer that lost its backend does."""
        now = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
        self.close_connection = True
        self.connection.close()

    def _send(self, status: int, headers: dict[str, str], body: bytes, *, half: bool) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if half else body)
        self.close_connection = self.close_connection or half

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, ValueError):
            self.close_connection = True  # a fault was asked for, or the other side has gone


if __name__ == "__main__":
    Handler.fake = Fake(Path(sys.argv[1]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
