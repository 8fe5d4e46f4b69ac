"""A file whose name is not UTF-8 is refused in one line by each source that would read it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingest.pull import pull
from models.contract.errors import InputError
from tests.support.ingest.fake_aws import Configured


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ({"kind": "neuron_monitor"}, b"\xdcbung.jsonl"),
        ({"kind": "kubernetes", "cluster": "c"}, b"\xdcbung.json"),
        ({"kind": "slurm"}, b"sacct-\xdcbung.csv"),
        ({"kind": "slurm"}, b"nodes-\xdcbung.csv"),
        ({"kind": "trainer_state"}, b"\xdcbung/trainer_state.json"),
        ({"kind": "tensorboard"}, b"\xdcbung/events.out.tfevents.1"),
        ({"kind": "focus"}, b"\xdcbung/metadata/BILLING_PERIOD=2026-09/e-Manifest.json"),
        ({"kind": "focus"}, b"\xdcbung.csv"),
    ],
)
def test_a_name_that_is_not_utf_8_is_refused_in_one_line(
    configured: Configured, tmp_path: Path, entry: dict[str, str], path: bytes
) -> None:
    written = tmp_path / "delivered" / os.fsdecode(path)
    written.parent.mkdir(parents=True)
    written.write_text("{}")
    settings = configured({**entry, "location": "delivered"})
    with pytest.raises(InputError, match=r"the name of this file is not UTF-8: .*\\udcdcbung"):
        pull(settings).raise_failures()
