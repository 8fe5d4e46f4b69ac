"""Which web server answers readers while others only hold connections open?

A hundred readers ask once a second over connections that they keep, alone and then beside 500 idle
connections and 200 half-sent requests (heads and bodies). An answer takes three milliseconds of
Python, as a callback does. All servers run with two processes where they can. A server that is not
installed is left out. Goal: p95 under 250 ms beside them, no error, and what is half sent is ended.

    python -m benchmarks.serving.connections
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from statistics import quantiles

READERS, IDLE, HALF = 100, 500, 200
WORK_SECONDS = 0.003
PATIENCE = 12
"""Seconds after which what is half sent should have been ended."""
GUNICORN = "gunicorn --workers 2 --keep-alive 75 --timeout 0 --log-level error --bind fd://{fd}"
GRANIAN = (
    "granian --interface wsgi --workers 2 --no-access-log --log-level error --port {port} "
    "--http1-header-read-timeout 10000"
)
PACKAGES = ("gevent", "waitress", "granian", "gunicorn")
OURS = "benchmarks.serving.connections:work"
SERVERS = {
    "gunicorn gthread, 4 threads": f"{GUNICORN} --threads 4 {OURS}",
    "gunicorn gthread, 400 threads": f"{GUNICORN} --threads 400 {OURS}",
    "gunicorn gevent": f"{GUNICORN} --worker-class gevent {OURS}",
    "ours: waitress in gunicorn, 4 threads": f"{GUNICORN} --threads 4 "
    f"--worker-class dashboard.server.waitress_worker.WaitressWorker {OURS}",
    "granian, 4 threads": f"{GRANIAN} --blocking-threads 4 {OURS}",
    "granian, 400 threads": f"{GRANIAN} --blocking-threads 400 --backpressure 1000 {OURS}",
    "waitress, 1 process, 4 threads": "benchmarks.serving.connections --waitress 1 --fd {fd}",
    "waitress, 2 processes, 4 threads": "benchmarks.serving.connections --waitress 2 --fd {fd}",
}


def work(environ, start_response):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - WSGI
    """Reads the body and works as long as a callback does."""
    environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    until = time.thread_time() + WORK_SECONDS
    while time.thread_time() < until:
        pass
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]


@dataclass
class Seen:
    """Milliseconds of each answer, and what went wrong."""

    took: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def p95(self) -> float:
        return quantiles(self.took, n=20, method="inclusive")[-1] if len(self.took) > 1 else 1e9


def main() -> None:
    """Prints a line for each server."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--only", default="")
    parser.add_argument("--waitress", type=int)
    parser.add_argument("--fd", type=int)
    asked = parser.parse_args()
    if asked.waitress:
        waitress(asked.waitress, asked.fd)
        return
    print(f"{'':38}{'alone':>16}{'beside slow ones':>24}{'ratio':>8}{'half-sent ended':>18}")
    for name, command in SERVERS.items():
        if asked.only in name:
            needs = next(each for each in PACKAGES if each in name)
            there = importlib.util.find_spec(needs) is not None
            found = served(command, asked.seconds) if there else "not installed"
            print(f"{name:38}{found}", flush=True)


def served(command: str, seconds: float) -> str:
    """Runs a server and measures it."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        fd, port = listener.fileno(), listener.getsockname()[1]
        if "{port}" in command:
            listener.close()
        line = [sys.executable, "-m", *command.format(fd=fd, port=port).split()]
        passed = () if "{port}" in command else (fd,)
        process = subprocess.Popen(line, pass_fds=passed, start_new_session=True)
        try:
            return asyncio.run(measured(port, seconds))
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def waitress(processes: int, fd: int) -> None:
    """Serves with waitress in several processes that accept from one socket."""
    from waitress import serve

    logging.getLogger("waitress").setLevel(logging.ERROR)
    for _ in range(processes - 1):
        if os.fork() == 0:
            break
    listener = socket.socket(fileno=fd)
    serve(
        work,
        sockets=[listener],
        threads=4,
        channel_timeout=75,
        connection_limit=2000,
        asyncore_use_poll=True,
    )


async def measured(port: int, seconds: float) -> str:
    """Measures readers alone, then beside idle and half-sent connections."""
    while True:
        try:
            await ask(*(await asyncio.open_connection("127.0.0.1", port)))
            break
        except OSError:
            await asyncio.sleep(0.1)
    alone = await readers(port, seconds)
    idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(IDLE)]
    half = [await half_sent(port, number) for number in range(HALF)]
    started = time.monotonic()
    beside = await readers(port, seconds)
    await asyncio.sleep(max(0.0, PATIENCE - (time.monotonic() - started)))
    ended = sum([await is_ended(reader) for reader, _ in half])
    for _, writer in (*idle, *half):
        writer.close()
    ratio = beside.p95() / alone.p95()
    shown = [
        f"p95 {seen.p95():>6.0f} ms{f' {len(seen.wrong)} bad' if seen.wrong else '':>9}"
        for seen in (alone, beside)
    ]
    return f"{shown[0]:>20}{shown[1]:>22}{ratio:>8.1f}{ended:>10} of {HALF}"


async def half_sent(port: int, number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A request whose head, or for every other one whose body, does not end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
    writer.write(head + (b"\r\nhalf of it" if number % 2 else b"X-Half: o"))
    await writer.drain()
    return reader, writer


async def is_ended(reader: asyncio.StreamReader) -> bool:
    """Whether the server has answered or hung up."""
    try:
        await asyncio.wait_for(reader.read(1), 0.01)
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


async def readers(port: int, seconds: float) -> Seen:
    """A hundred people who ask once a second."""
    seen = Seen()
    until = time.monotonic() + seconds
    await asyncio.gather(*(person(port, number, until, seen) for number in range(READERS)))
    return seen


async def person(port: int, number: int, until: float, seen: Seen) -> None:
    await asyncio.sleep(number / READERS)
    try:
        wire = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 10)
    except (OSError, TimeoutError) as error:
        seen.wrong.append(repr(error))
        return
    while time.monotonic() < until:
        started = time.perf_counter()
        try:
            await asyncio.wait_for(ask(*wire), 10)
        except (OSError, EOFError, TimeoutError, asyncio.IncompleteReadError) as error:
            seen.wrong.append(repr(error))
            seen.took.append((time.perf_counter() - started) * 1000)
            wire[1].close()
            return
        took = time.perf_counter() - started
        seen.took.append(took * 1000)
        await asyncio.sleep(max(0.0, 1 - took))
    wire[1].close()


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One question over a connection that is kept."""
    writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
    await writer.drain()
    await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(2)


if __name__ == "__main__":
    main()
