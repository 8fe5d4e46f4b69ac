"""The reduction on a standalone Spark cluster: two workers against one, and DuckDB beside them.

Each worker is a process with one core; master, workers and driver share this machine, so with two
cores, or with others at work, the ratio is of the machine rather than of Spark. The cluster is up
and has read the file once before the clock runs. What is found is printed as it is found: a core
reads some 200,000 lines a second, and each cluster starts, compiles and warms up for a minute.

    python -m benchmarks.spark                  # 10 M lines; Java 17, 6 GiB of memory
    python -m benchmarks.spark --lines 2000000
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import ibis
import pyspark

from benchmarks import bill
from benchmarks.reduction import machine
from models.engine.reduction import delivered_files
from models.engine.spark import cluster as spark
from models.engine.sql import delivered_sql, rendering
from models.engine.warehouse import connection
from models.raw.zone import RawZone

ROUNDS = 3
HOST = "127.0.0.1"
CLASS = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
MASTER, WORKER = (f"org.apache.spark.deploy.{kind}" for kind in ("master.Master", "worker.Worker"))
PATIENCE = 60.0


def main() -> None:
    """Prints medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, default=bill.LINES)
    parser.add_argument("--folder", type=Path, default=bill.FOLDER)
    asked = parser.parse_args()
    os.environ["SPARK_LOCAL_IP"] = HOST
    bill.prepare(asked.folder, asked.lines)
    print(f"{asked.lines:,} lines; median of {ROUNDS}; PySpark {pyspark.__version__}")
    print(f"{machine()}\n", flush=True)
    told("DuckDB, 2 threads", on_duckdb(asked.folder))
    one, two = (
        told(f"Spark, {workers} of 1 core", on_spark(asked.folder, workers)) for workers in (1, 2)
    )
    print(f"\none worker / two workers {one / two:.2f}")


def told(what: str, seconds: float) -> float:
    """`seconds`, printed at once: the next takes minutes."""
    print(f"{what:30}{seconds:>10.2f} s", flush=True)
    return seconds


def on_spark(folder: Path, workers: int) -> float:
    """Median seconds of the reduction there, its rows brought back."""
    text, paths = reduction(folder, "spark")
    with standalone(folder, workers) as master, spark.cluster(master, folder) as cluster:
        work = partial(cluster.reduced, text, delivered_files.LINES, paths)
        work()
        return seconds(work)


def on_duckdb(folder: Path) -> float:
    """The same in the warehouse's own engine."""
    text, paths = reduction(folder, "duckdb")
    with connection.in_memory() as backend:
        backend.read_parquet(paths, table_name=delivered_files.LINES)
        return seconds(lambda: backend.con.sql(text).to_arrow_table())


def reduction(folder: Path, dialect: str) -> tuple[str, list[Path]]:
    """The SQL of the reduction and the files it reads."""
    settings = bill.settings(folder)
    (money,) = (
        d for d in RawZone(settings.data / "raw").live() if delivered_files.view_of(d) == "charges"
    )
    with connection.in_memory() as backend:
        delivered = backend.read_parquet(money.paths, table_name=delivered_files.LINES)
        unbound = ibis.table(delivered.schema(), name=delivered_files.LINES)
    made = delivered_sql.reduction(unbound, money.format, settings)
    return rendering.sql(made, dialect), money.paths


def seconds(work: Callable[[], object]) -> float:
    """The median round."""
    found = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return median(found)


@contextmanager
def standalone(folder: Path, workers: int) -> Iterator[str]:
    """The address of a master whose workers have all registered."""
    port, log = free_port(), folder / "master.log"
    master = f"spark://{HOST}:{port}"
    with ExitStack() as stack:
        stack.enter_context(daemon(log, MASTER, "--port", str(port)))
        waited_for(log, "New state: ALIVE", 1)
        for number in range(workers):
            size = ("--cores", "1", "--memory", "2g", "--work-dir", str(folder / "work"))
            said = folder / f"worker-{number}.log"
            stack.enter_context(daemon(said, WORKER, *size, master))
        waited_for(log, "Registering worker", workers)
        yield master


@contextmanager
def daemon(log: Path, kind: str, *options: str) -> Iterator[None]:
    """A Java process of Spark's, until the block ends."""
    with log.open("wb") as said:
        command = (CLASS, kind, "--host", HOST, "--webui-port", "0", *options)
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def waited_for(log: Path, words: str, times: int) -> None:
    """Returns once the log has said it so often."""
    until = time.monotonic() + PATIENCE
    while log.read_text(errors="replace").count(words) < times:
        if time.monotonic() > until:
            raise SystemExit(f"Spark did not say {words!r}: see {log}")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
