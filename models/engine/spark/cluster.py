"""Sums bill lines on a Spark cluster: workers read the files, only sums come back.

Nothing else needs PySpark and Java 17, so PySpark is imported only when a cluster is used. The
workers read the files of the raw zone by the path they have here (a shared mount).
"""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from models.contract.errors import EngineError
from models.contract.schema import DELIVERY_NUMBER
from models.engine.spark import log as spark_log
from models.raw import atomic_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HERE = "local[*]"
LOG = "spark.log"
LOOPBACK = "127.0.0.1"
STANDALONE = "spark://"
ANSWER, WORKERS, GRACE = 5.0, 60.0, 15.0
"""Seconds: for a master to answer, for its workers to take a first task, for Java to end."""
NEEDED = {
    "spark.app.name": "breakeven",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.parquet.binaryAsString": "true",
    "spark.sql.codegen.hugeMethodLimit": "8000",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""What the sums rest on, and the size above which Java interprets a method for ever, as it did the
loop over lines; all else is the cluster's own (`spark-defaults.conf`)."""
AT_HOME = {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
NANOSECONDS, UNLIKE = "timestamp[ns", "CANNOT_MERGE"
"""How Arrow begins to name such a type, and Spark its refusal of columns of two types."""
GLOB = re.compile(r"([\\{}\[\]*?])")


class Cluster:
    """Runs Spark SQL on delivered files, in an application that the first query starts."""

    DIALECT = "spark"

    def __init__(self, master: str, folder: Path) -> None:
        self._master, self._log = master, folder / LOG
        self._session: SparkSession | None = None
        self._java: subprocess.Popen[bytes] | None = None

    def reduced(self, text: str, name: str, paths: Sequence[Path]) -> pa.Table:
        """Runs a Spark SQL query over a delivery's files and returns its rows as an Arrow table.

        `name` is the name of the files' lines in the query.
        """
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql.functions import lit

        try:
            with warnings.catch_warnings():
                # PySpark has a word on pandas 3, through which nothing of ours goes
                warnings.simplefilter("ignore", FutureWarning)
                session = self._session = self._session or self._started()
                merged = str(len(paths) > 1).lower()  # else one file's columns stand for all
                read = session.read.option("mergeSchema", merged)
                lines = _in_known_types(read.parquet(*map(_location, paths)), paths)
                numbered = lines.withColumn(DELIVERY_NUMBER, lit(1))
                numbered.createOrReplaceTempView(name)
                return session.sql(text).toArrow()
        except (PySparkException, Py4JError, OSError, EOFError) as error:
            raise self._failed(f"Spark could not reduce {paths[0].parent}", error, paths) from None

    def stop(self) -> None:
        """Stops the Spark application and its Java process, whatever their state."""
        if self._java is None:
            return
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        if self._java.stdin:
            self._java.stdin.close()
        self._java.terminate()
        try:
            self._java.wait(timeout=GRACE)
        except subprocess.TimeoutExpired:
            self._java.kill()
            self._java.wait()
        self._java = self._session = None
        # PySpark would go on to speak to the Java that is gone
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None

    def _started(self) -> SparkSession:
        from pyspark import SparkConf, SparkContext
        from pyspark.java_gateway import launch_gateway
        from pyspark.sql import SparkSession

        with atomic_files.write_errors(self._log):
            self._log.write_bytes(b"")
        spark_log.keep(self._log)
        options = NEEDED | (AT_HOME if self._master.startswith("local") else {})
        conf = SparkConf(loadDefaults=False).setMaster(self._master).setAll(list(options.items()))
        with atomic_files.write_errors(self._log), self._log.open("ab") as log:
            streams = {"stdout": log, "stderr": log}
            gateway = launch_gateway(conf, streams)  # type: ignore[no-untyped-call]  # has no types
        self._java = gateway.proc
        ours = signal.getsignal(signal.SIGINT)
        session = SparkSession(SparkContext(conf=conf, gateway=gateway))
        with suppress(ValueError):  # only the main thread may, and only there PySpark took it
            signal.signal(signal.SIGINT, ours)
        self._try(session)
        return session

    def _try(self, session: SparkSession) -> None:
        """Runs a first Spark task, so that a cluster without workers fails instead of waiting."""
        trial = ThreadPoolExecutor(1)
        try:
            trial.submit(session.range(1).count).result(timeout=WORKERS)
        except TooLate:
            self.stop()
            raise EngineError(
                f"no Spark worker took a task in {WORKERS:.0f} seconds",
                value=self._master,
                remedy=f"start workers there, or free some; see {self._log}",
            ) from None
        finally:
            trial.shutdown(wait=False)

    def _failed(self, what: str, error: Exception, paths: Sequence[Path]) -> EngineError:
        if self._java is None:
            logged = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
            last = next((line for line in reversed(logged) if line.strip()), error)
            return EngineError(
                "Spark did not start", value=last, remedy="install Java 17, or set JAVA_HOME to it"
            )
        if not self._session:
            problem = f"Spark did not start on {self._master}"
            return EngineError(problem, value=_words(error), remedy=f"see {self._log}")
        words = _words(error)
        unlike = _unlike(paths) if UNLIKE in words else ""
        remedy = f"`breakeven build` does it with DuckDB; see {self._log}"
        return EngineError(what, value=unlike or words, remedy=remedy)


@contextmanager
def cluster(master: str, folder: Path) -> Iterator[Cluster]:
    """Yields a `Cluster` for a Spark master's URL, and stops its application on leaving.

    Its log is written to `folder`. PySpark and the master are checked before Java starts.
    """
    if find_spec("pyspark") is None:
        raise EngineError(
            "PySpark is not installed", remedy="pip install 'pyspark==4.*'; it needs Java 17"
        )
    _answers(master)
    found = Cluster(master, folder)
    try:
        yield found
    finally:
        found.stop()


def _answers(master: str) -> None:
    """Raises `EngineError` if no address of a `spark://` master accepts a connection."""
    if not master.startswith(STANDALONE):
        return
    faults = []
    for place in master.removeprefix(STANDALONE).split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=ANSWER).close()
        except (OSError, ValueError, OverflowError) as error:
            faults.append(f"{place}: {error}")
        else:
            return
    raise EngineError(
        "the Spark master does not answer",
        value="; ".join(faults),
        remedy="start it, or correct --master spark://host:port",
    )


def _location(path: Path) -> str:
    """Returns a file's URL for Spark, with characters escaped that Spark takes for a pattern."""
    return "file://" + GLOB.sub(r"\\\1", str(path.absolute()))


def _in_known_types(lines: DataFrame, paths: Sequence[Path]) -> DataFrame:
    """Casts columns that Spark reads differently: nanosecond times, untyped ones, lists of entries.

    Times are rounded like DuckDB's; what is not known is text. Lists of keys and values are maps.
    """
    from pyspark.sql.functions import expr

    fields = [field for path in paths for field in pq.read_schema(path)]
    exact = {field.name for field in fields if str(field.type).startswith(NANOSECONDS)}
    casts = {name: expr(f"timestamp_micros((`{name}` + 500) div 1000)") for name in sorted(exact)}
    untyped = sorted({field.name for field in fields if pa.types.is_null(field.type)})
    casts |= {name: expr("CAST(NULL AS STRING)") for name in untyped}
    listed = sorted({field.name for field in fields if _lists_entries(field.type)})
    casts |= {name: expr(f"map_from_entries(`{name}`)") for name in listed}
    return lines.withColumns(casts) if casts else lines


def _lists_entries(kind: pa.DataType) -> bool:
    """Whether a Parquet type is a list of key and value pairs, as which tags may be stored."""
    if not pa.types.is_list(kind) or not pa.types.is_struct(kind.value_type):
        return False
    return [field.name.lower() for field in kind.value_type] == ["key", "value"]


def _unlike(paths: Sequence[Path]) -> str:
    """Returns the first column that has different types in two Parquet files, in words, or ""."""
    seen: dict[str, tuple[str, str]] = {}
    for path in paths:
        for field in pq.read_schema(path):
            kind, where = seen.setdefault(field.name, (str(field.type), path.name))
            if kind != str(field.type):
                return f"{field.name} is {kind} in {where} and {field.type} in {path.name}"
    return ""


def _words(error: Exception) -> str:
    """Returns the first line of a Spark error's message, else the name of its class."""
    cause = getattr(error, "java_exception", None)
    message = str(cause.getMessage() if cause is not None else error)
    return next(
        (line.strip() for line in message.splitlines() if line.strip()), type(error).__name__
    )
