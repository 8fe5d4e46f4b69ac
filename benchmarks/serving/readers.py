"""A hundred people read the dashboard at once: does each get an answer soon, and does memory stay?

Each reader opens a page or moves a control every five seconds, for a minute, against the server as
it is run, with a year of 200 workloads. Goal: no error, 95 of 100 answers in 500 ms, each worker in
300 MiB and no larger at the end than after the first fifteen seconds (within a tenth).

    python -m benchmarks.serving.readers
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.reduction import machine
from benchmarks.serving import callbacks, year

READERS, PAUSE, SECONDS, WORKERS = 100, 5.0, 60, 2
GOAL, GOAL_MIB, FLAT = 500, 300, 1.1
SETTLED = 15
"""Seconds after which every page was seen once."""


def main() -> None:
    """Prints what the readers and the workers saw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--folder", type=Path, default=year.FOLDER)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    asked = parser.parse_args()
    config, port = year.prepare(asked.folder), free_port()
    command = ["breakeven", "serve", "--config", str(config), "--port", str(port)]
    command[0] = str(Path(sys.executable).parent / command[0])
    with subprocess.Popen([*command, "--workers", str(WORKERS)]) as server:
        try:
            found = read(port, server.pid, asked.seconds)
        finally:
            server.terminate()
    sys.exit(told(*found))


def read(port: int, server: int, seconds: int) -> tuple[list[float], list[str], list[list[int]]]:
    """Milliseconds of each answer, what went wrong, and MiB of each worker, second by second."""
    wait_for(port)
    bodies = list(questions(port))
    took: list[float] = []
    wrong: list[str] = []
    until = time.monotonic() + seconds
    readers = [
        threading.Thread(target=reader, args=(port, bodies, until, number, took, wrong))
        for number in range(READERS)
    ]
    for each in readers:
        each.start()
    memory = []
    while time.monotonic() < until:
        memory.append(resident(server))
        time.sleep(1)
    for each in readers:
        each.join()
    return took, wrong, memory


def told(took: list[float], wrong: list[str], memory: list[list[int]]) -> bool:
    """Whether a goal was missed."""
    high, most = callbacks.p95(took), max(max(each) for each in memory)
    early = max(memory[min(SETTLED, len(memory) - 1)])
    print(f"{machine()}\n{READERS} readers, {len(took):,} answers, {len(wrong)} errors {wrong[:3]}")
    print(f"median {median(took):.0f} ms, p95 {high:.0f} ms  goal: {GOAL}")
    print(f"MiB of the largest worker: {early} after {SETTLED} s, {most} at most  goal: {GOAL_MIB}")
    return bool(wrong) or high > GOAL or most > GOAL_MIB or most > early * FLAT


def reader(
    port: int, bodies: list[bytes], until: float, seed: int, took: list[float], wrong: list[str]
) -> None:
    """One person: a question, a pause, another question."""
    chance = random.Random(seed)
    time.sleep(chance.random() * PAUSE)
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    page = sent_by_a_page(connection)
    while time.monotonic() < until:
        started = time.perf_counter()
        try:
            post(connection, chance.choice(bodies), page)
        except (OSError, HTTPException, ValueError) as error:
            wrong.append(repr(error))
        connection.close()  # the server lets go of one that is idle for two seconds
        spent = time.perf_counter() - started
        took.append(spent * 1000)
        time.sleep(max(0.0, PAUSE - spent))


def questions(port: int, paths: Iterable[str] = callbacks.PATHS) -> list[bytes]:
    """The body of every interaction of every page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    page = sent_by_a_page(connection)
    known = get(connection, "/_dash-dependencies")
    found: list[bytes] = []
    for path in paths:
        opened = callbacks.opening(known, path)
        opening = json.dumps(opened.body).encode()
        tree = json.loads(post(connection, opening, page | {"Accept-Encoding": ""}))["response"]
        every = callbacks.interactions(known, tree, path)
        found += [json.dumps(each.body).encode() for each in (opened, *every)]
    return found


def sent_by_a_page(connection: HTTPConnection) -> dict[str, str]:
    """The headers of what a page sends: its origin, its cookies and the token among them."""
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    given = [each.split(";")[0] for each in answer.headers.get_all("Set-Cookie", [])]
    token = next(each.split("=", 1)[1] for each in given if "csrf" in each)
    origin = f"http://{connection.host}:{connection.port}"
    sent = {"Origin": origin, "Cookie": "; ".join(given), "X-CSRFToken": token}
    return sent | {"Content-Type": "application/json", "Accept-Encoding": "gzip"}


def post(connection: HTTPConnection, body: bytes, headers: dict[str, str]) -> bytes:
    connection.request("POST", "/_dash-update-component", body, headers)
    answer = connection.getresponse()
    data = answer.read()
    if answer.status not in (200, 204):
        raise ValueError(f"{answer.status} {data[:200]!r}")
    return data


def get(connection: HTTPConnection, path: str) -> Any:  # noqa: ANN401 - JSON
    connection.request("GET", path)
    return json.loads(connection.getresponse().read())


def resident(server: int) -> list[int]:
    """MiB that each worker holds."""
    tasks = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    status = [Path(f"/proc/{pid}/status").read_text() for pid in tasks]
    return [int(text.partition("VmRSS:")[2].split()[0]) // 1024 for text in status] or [0]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the server did not listen")


if __name__ == "__main__":
    main()
