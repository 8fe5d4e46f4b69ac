"""What Py4J and PySpark say here, with Py4J's own client and a Java that is gone."""

from __future__ import annotations

import io
import logging
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from models.engine.spark import log

NAMES = (log.PY4J, *log.OF_QUERIES)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    """A log that they are kept in; what was before comes back."""
    pytest.importorskip("pyspark")
    from pyspark.logger import PySparkLogger

    root = logging.getLogger()
    loggers = [logging.getLogger(NAMES[0]), *map(PySparkLogger.getLogger, NAMES[1:])]
    before = [(logger, logger.handlers, logger.propagate) for logger in loggers]
    filters = root.filters[:]
    log.keep(tmp_path / "old.log")
    log.keep(tmp_path / "spark.log")
    yield tmp_path / "spark.log"
    loggers[0].handlers[0].close()
    root.filters[:] = filters
    for logger, handlers, propagate in before:
        logger.handlers, logger.propagate = handlers, propagate


@pytest.fixture
def terminal(kept: Path) -> Iterator[io.StringIO]:
    """Where the command's own log goes."""
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    logging.getLogger().addHandler(handler)
    yield said
    logging.getLogger().removeHandler(handler)


def test_a_java_that_went_away_leaves_its_traceback_in_the_log(
    kept: Path, terminal: io.StringIO
) -> None:
    from py4j.java_gateway import GatewayClient, GatewayParameters

    def hang_up() -> None:
        with suppress(TimeoutError):  # whether it is asked a second time is Py4J's affair
            for _ in range(2):
                with server.accept()[0] as asked:
                    asked.recv(1024)

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)
        gone = Thread(target=hang_up)
        gone.start()
        java = GatewayClient(gateway_parameters=GatewayParameters(port=server.getsockname()[1]))
        java.send_command("c\n")
        gone.join()
        java.close()
    logging.getLogger().warning("our own")
    assert terminal.getvalue() == "our own\n"
    told = kept.read_text()
    assert "ERROR Exception while sending command." in told
    assert "Py4JNetworkError" in told
    assert not (kept.parent / "old.log").exists()


def test_what_pyspark_says_of_a_query_is_in_the_log(
    kept: Path, terminal: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    from pyspark.logger import PySparkLogger

    for name in log.OF_QUERIES:
        PySparkLogger.getLogger(name).error(f"[CAST] of {name}", errorClass="CAST")
    assert (terminal.getvalue(), capfd.readouterr().err) == ("", "")
    assert [f"[CAST] of {name}" in kept.read_text() for name in log.OF_QUERIES] == [True] * 2
