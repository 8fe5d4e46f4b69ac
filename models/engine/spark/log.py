"""Sends the messages of Py4J and PySpark to Spark's log file instead of the terminal."""

from __future__ import annotations

import logging
from pathlib import Path

PY4J = "py4j"
OF_QUERIES = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""PySpark's, which write a line of JSON to the terminal before it raises."""


class Aside(logging.Filter):
    """A filter of the root logger that sends Py4J's records to `log` alone."""

    def __init__(self, log: logging.Handler) -> None:
        super().__init__()
        self.log = log

    def filter(self, record: logging.LogRecord) -> bool:
        """Py4J logs its tracebacks with `logging.exception`, under no name of its own."""
        aside = Path(record.pathname).parent.name == PY4J
        if aside:
            self.log.handle(record)
        return not aside


def keep(path: Path) -> None:
    """Logs Py4J and PySpark to `path` until the process ends: connections are closed that late."""
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
