"""What reporting progress costs a training step.

    .venv/bin/python -m benchmarks.emit

Time of one `log` call in the training thread while the writer writes to a real agent (a process of
its own on loopback), the median and the slowest of many batches; and the lines that came of it.
"""

from __future__ import annotations

import os
import socket
import statistics
import time

from ingest.emit import Progress

BATCHES, CALLS = 200, 5_000


def main() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            _agent(server, writer)
        os.close(writer)
        seconds = sorted(_batches(Progress("w", "r", to=f"tcp://127.0.0.1:{port}", every=1.0)))
        lines = int(os.read(reader, 20))
        os.waitpid(child, 0)
    per_call = [1e9 * batch / CALLS for batch in seconds]
    print(f"{BATCHES * CALLS:,} calls: median {statistics.median(per_call):,.0f} ns a call,")
    print(f"slowest batch of {CALLS:,}: {per_call[-1]:,.0f} ns a call; {lines} lines written")


def _batches(progress: Progress) -> list[float]:
    found = []
    for number in range(BATCHES):
        start = time.perf_counter()
        for call in range(CALLS):
            progress.log(epoch=number + call / CALLS, loss=2.0, tokens=number * CALLS + call)
        found.append(time.perf_counter() - start)
    progress.flush()
    progress._close()
    return found


def _agent(server: socket.socket, writer: int) -> None:
    """Counts lines until the other side hangs up."""
    connection, _ = server.accept()
    with connection.makefile() as lines:
        os.write(writer, str(sum(1 for _ in lines)).encode())
    os._exit(0)


if __name__ == "__main__":
    main()
