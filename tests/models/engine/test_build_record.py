"""Who watches builds learns how the last one ended, and when one last succeeded."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.contract.errors import InputError
from models.engine.build_record import FILE, BuildRecord, read_build_record, recorded
from models.raw.zone import RawZone
from tests.support.world import World


def test_a_failed_build_leaves_what_the_last_good_one_took(tmp_path: Path) -> None:
    assert read_build_record(tmp_path) == BuildRecord()
    with recorded(tmp_path) as record:
        record.lines = 7
    good = read_build_record(tmp_path)
    assert (good.failed, good.lines, good.last_success) == (False, 7, good.last_attempt)
    assert good.seconds is not None
    with pytest.raises(InputError), recorded(tmp_path):
        raise InputError("a damaged file")
    bad = read_build_record(tmp_path)
    assert bad.failed
    assert (bad.last_success, bad.seconds, bad.lines) == (good.last_success, good.seconds, 7)
    (tmp_path / FILE).write_text('{"last_attempt": ', encoding="utf-8")
    assert read_build_record(tmp_path) == BuildRecord()


def test_a_record_that_cannot_be_written_fails_no_build(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).mkdir()
    with recorded(tmp_path):
        pass
    (line,) = caplog.messages
    assert line.startswith("cannot write ")


def test_a_build_is_recorded_with_the_lines_it_read(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.run("g1", "p4d.24xlarge", "2025-10-01", 30, "20", 2)
    settings = world.build().settings
    read = sum(delivery.rows for delivery in RawZone(settings.data / "raw").live())
    record = read_build_record(settings.data)
    assert (record.failed, record.lines) == (False, read)
