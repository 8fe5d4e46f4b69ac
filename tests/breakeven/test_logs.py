"""Logs of a server are one JSON object a line, of a terminal text; nobody forges a line."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

PROGRAM = """
import logging
from breakeven.logs import configure
configure()
log = logging.getLogger("breakeven.test")
log.info("file %s of http://ann:S3CRET@host", "a\\n2026 ERROR forged \\x1b[2J\\u2028")
for number in range(1000):
    log.warning("the same")
    log.warning("odd %s", number % 2)
try:
    raise ValueError("x\\nforged")
except ValueError:
    log.exception("failed")
"""
NAME = r"file a\n2026 ERROR forged \x1b[2J\u2028 of http://…@host"


def test_logs_that_no_terminal_reads_are_json_objects_and_repeats_are_counted() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True)
    lines = [json.loads(line) for line in ended.stderr.decode().splitlines()]
    assert [(line["level"], line["event"]) for line in lines] == [
        ("info", NAME),
        ("warning", "the same"),
        ("warning", "odd 0"),
        ("warning", "odd 1"),
        ("error", "failed"),
        ("warning", "999 more times: the same"),
        ("warning", "499 more times: odd 0"),
        ("warning", "499 more times: odd 1"),
    ]
    assert {line["logger"] for line in lines} == {"breakeven.test"}
    assert lines[4]["exception"].endswith("ValueError: x\n  forged")
    assert "S3CRET" not in ended.stderr.decode()


def test_logs_on_a_terminal_are_text_and_a_line_begins_with_its_time() -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb") as terminal:
        subprocess.run([sys.executable, "-c", PROGRAM], stderr=theirs, check=True)
        os.close(theirs)
        shown = terminal.read1().decode().split("\r\n")
    assert shown[0].endswith(f" INFO {NAME}")
    assert [line.split()[1] for line in shown[:4]] == ["INFO", "WARNING", "WARNING", "WARNING"]
    assert "  forged" in shown
    assert "forged" not in shown


FAULTS = """
import logging
from breakeven.logs import configure
configure()
for fault in (KeyError, KeyError, OSError):
    try:
        raise fault("x")
    except (KeyError, OSError):
        logging.exception("a request failed")
"""


def test_another_fault_is_no_repeat_though_its_line_is_the_same() -> None:
    ended = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, check=True)
    lines = [json.loads(line) for line in ended.stderr.decode().splitlines()]
    faults = [line.get("exception", "").rpartition("  ")[2] for line in lines]
    assert faults == ["KeyError: 'x'", "OSError: x", ""]
    assert lines[2]["event"] == "1 more time: a request failed"


SET_BACK = """
import logging, time
from breakeven import logs
logs.configure()
logs.WITHIN = 0.0
for created in (time.time() + 9 * 86400, time.time()):
    line = {"name": "breakeven.test", "levelno": 40, "levelname": "ERROR", "msg": "focus: failed"}
    logging.getLogger().handle(logging.makeLogRecord({**line, "created": created}))
    time.sleep(0.01)
"""


def test_a_line_is_written_again_after_a_minute_also_where_the_clock_was_set_back() -> None:
    ended = subprocess.run([sys.executable, "-c", SET_BACK], capture_output=True, check=True)
    lines = [json.loads(line) for line in ended.stderr.decode().splitlines()]
    assert [line["event"] for line in lines] == ["focus: failed", "focus: failed"]
    assert lines[1]["at"] < lines[0]["at"]
