"""The room that a build may need is found while a pull writes and removes files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingest.doctor.examination import Examination
from ingest.doctor.this_machine.disk import check_disk
from models.config.loading import validated_settings


def test_files_that_go_meanwhile_stop_no_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"sources": [{"kind": "progress_file", "location": "epochs.csv"}]}
    exam = Examination(validated_settings(config, home=tmp_path))
    drafts = [exam.settings.data / "raw" / name for name in ("one.parquet", "two.parquet")]
    drafts[0].parent.mkdir(parents=True)
    for draft in drafts:
        draft.write_bytes(b"PAR1")
    stat = Path.stat

    def removed_after_a_look(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = stat(path, follow_symlinks=follow_symlinks)
        if path in drafts:
            for draft in drafts:
                draft.unlink()
        return found

    monkeypatch.setattr(Path, "stat", removed_after_a_look)
    (found,) = check_disk(exam)
    assert found.state != "blocks"
    assert "GiB free" in found.found
