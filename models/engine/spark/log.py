"""Sends the messages of Py4J and PySpark to Spark's log file instead of the terminal."""

from __future__ import annotations

import logging
from pathlib import Path

PY4J = "py4j"
OF_QUERIES = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""PySpark's, which write a line of JSON to the terminal before it raises."""


class Aside(logging.Filter):
    """A logging filter that sends Py4J's records to Spark's log only."""

    def __init__(self, log: logging.Handler) -> None:
        super().__init__()
        self.log = log

    def filter(self, record: logging.LogRecord) -> bool:
        """Sends Py4J's log records to Spark's log file, and lets all others pass.

        Records are recognised by their source file, because Py4J logs tracebacks with
        `logging.exception`, under no name of its own.
        """
        aside = Path(record.pathname).parent.name == PY4J
        if aside:
            self.log.handle(record)
        return not aside


def keep(path: Path) -> None:
    """Sends Py4J's log messages and PySpark's on queries to a file until the process ends.

    Py4J still logs while its connections are closed, which is as late as that.
    """
    from pyspark.logger import PySparkLogger

    log = logging.FileHandler(path, encoding="utf-8", delay=True)
    log.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    root = logging.getLogger()
    for old in [each for each in root.filters if isinstance(each, Aside)]:
        root.removeFilter(old)
        old.log.close()
    root.addFilter(Aside(log))
    of_queries = (PySparkLogger.getLogger(name) for name in OF_QUERIES)
    for logger in (logging.getLogger(PY4J), *of_queries):
        logger.handlers = [log]
        logger.propagate = False
