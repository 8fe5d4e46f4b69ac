"""Event files that are being written, cut off, damaged, or none at all."""

from __future__ import annotations

import math
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import google_crc32c
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.pull import Report, pull
from ingest.sources.progress.tensorboard import records
from ingest.sources.progress.tensorboard.delivered_values import write_values
from ingest.sources.progress.tensorboard.events import EVENT
from ingest.sources.progress.tensorboard.left_out import LeftOut
from ingest.sources.progress.tensorboard.options import Meaning, TensorBoardOptions
from models.contract.errors import InputError
from tests.support.ingest.event_files import NAME, event, framed, version, write
from tests.support.ingest.fake_aws import Configured
from tests.support.ingest.price_answers import told

ONE, TWO, THREE = (event(f"20T0{n}:00", n, epoch=n) for n in (1, 2, 3))
LOGS = {"kind": "tensorboard", "location": "logs"}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "w" / "r"


def brought(configured: Configured) -> tuple[Report, list[int]]:
    """A pull, and the epochs that are live after it."""
    config = configured(LOGS)
    report = pull(config, ["tensorboard"])
    return report, sorted(int(row["epoch"]) for row in told(config, "tensorboard"))


def notices(report: Report) -> list[str]:
    report.raise_failures()
    return report.results[0].notices


@pytest.mark.parametrize("cut", [1, 4, 8, 11, 12, 20, len(TWO) - 1])
def test_a_record_that_is_being_written_is_read_when_it_is_whole(
    configured: Configured, run: Path, cut: int
) -> None:
    path = write(run, ONE, TWO[:cut])
    report, epochs = brought(configured)
    at = len(version() + ONE)
    assert notices(report) == [
        "left out: a record cut off at the end (it is being written, or its writer was killed): "
        f"{path} from byte {at:,} on"
    ]
    assert epochs == [1]
    write(run, ONE, TWO)
    report, epochs = brought(configured)
    assert (notices(report), epochs) == ([], [1, 2])


def test_a_record_with_a_wrong_checksum_is_left_out_and_named(
    configured: Configured, run: Path
) -> None:
    wrong = bytearray(TWO)
    wrong[20] ^= 1
    path = write(run, ONE, bytes(wrong), THREE)
    report, epochs = brought(configured)
    assert notices(report) == [
        f"left out: a record with a wrong checksum: {path} at byte {len(version() + ONE):,}"
    ]
    assert epochs == [1, 3]


def test_what_follows_a_damaged_length_is_left_out_and_named(
    configured: Configured, run: Path
) -> None:
    """A writer that was killed may leave zeros, which are no length with its checksum."""
    path = write(run, ONE, bytes(64), THREE)
    report, epochs = brought(configured)
    at = len(version() + ONE)
    said = f"left out: a rest of a file that is not a record: {path} from byte {at:,} on"
    assert notices(report) == [said]
    assert epochs == [1]


def test_a_record_too_large_for_memory_is_passed_over_unread(
    configured: Configured, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "LARGEST", 1 << 10)
    path = write(run, ONE, framed(bytes(2000)), TWO)
    monkeypatch.setattr(records, "FOOT", struct.Struct("<I"))
    report, epochs = brought(configured)
    (said,) = notices(report)
    assert f"{path} at byte {len(version() + ONE):,}" in said
    assert epochs == [1, 2]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"epoch,loss\n1,2.5\n2,2.25\n", "it does not begin with a record"),
        (framed(b"\x0a\x06\x0a\x04\x0a\x02\x08\x01"), "no record is an event"),
        (framed(b"\xff\xff\xff"), "no record is an event"),
    ],
    ids=["text", "an example of TensorFlow", "no message"],
)
def test_a_file_of_another_kind_is_refused_and_its_neighbours_are_read(
    configured: Configured, run: Path, content: bytes, why: str
) -> None:
    write(run, ONE)
    other = run / "events.out.tfevents.9"
    other.write_bytes(content)
    report, epochs = brought(configured)
    with pytest.raises(InputError) as caught:
        report.raise_failures()
    assert str(caught.value).startswith(
        f"tensorboard: {other} is not an event file: {why} (deliver what "
    )
    assert epochs == [1]


def test_a_file_that_lost_what_was_read_of_it_is_refused_and_that_stays(
    configured: Configured, run: Path
) -> None:
    path = write(run, ONE, TWO)
    brought(configured)
    write(run, ONE, bytes(64), TWO)
    report, epochs = brought(configured)
    with pytest.raises(InputError) as caught:
        report.raise_failures()
    assert str(caught.value) == (
        f"tensorboard: {path} holds fewer values than were read of it before: 1 of 2 "
        "(deliver it again, whole; what was read of it stays)"
    )
    assert epochs == [1, 2]


def test_a_file_that_was_only_opened_has_nothing_yet(configured: Configured, run: Path) -> None:
    run.mkdir(parents=True)
    (run / NAME).write_bytes(b"")
    write(run, name=f"{NAME}.profile-empty")
    report, epochs = brought(configured)
    assert (notices(report), epochs) == ([], [])


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (event("20T04:00", 4, epoch=math.nan), "that no counter can have: epoch = nan at step 4"),
        (event("20T04:00", 4, epoch=-1.0), "that no counter can have: epoch = -1.0 at step 4"),
        (event("20T04:00", 4, tokens=math.inf), "that no counter can have: tokens = inf at step 4"),
        (event(1.5, 4, epoch=4), "from before 2010 or after 2100: epoch = 4.0 at step 4"),
        (event(math.nan, 4, epoch=4), "from before 2010 or after 2100: epoch = 4.0 at step 4"),
        (event(1e300, 4, epoch=4), "from before 2010 or after 2100: epoch = 4.0 at step 4"),
        (event("20T04:00", 4, loss={}), "other than one number: loss = None at step 4"),
        (
            event("20T04:00", 4, loss={"float_val": [1.0, 2.0]}),
            "other than one number: loss = None at step 4",
        ),
    ],
)
def test_an_impossible_value_is_left_out_and_named(
    configured: Configured, run: Path, record: bytes, said: str
) -> None:
    path = write(run, ONE, record, TWO)
    report, epochs = brought(configured)
    assert notices(report) == [f"left out: a value {said} of {path}"]
    assert epochs == [1, 2]


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        ({"dtype": 1, "float_val": [0.1]}, 0.1),
        ({"dtype": 1, "tensor_content": struct.pack("<f", 0.1)}, 0.1),
        ({"dtype": 2, "double_val": [0.1]}, 0.1),
        ({"dtype": 2, "tensor_content": struct.pack("<d", 0.1)}, 0.1),
        ({"dtype": 3, "int_val": [7]}, 7),
        ({"dtype": 9, "int64_val": [7]}, 7),
        ({"dtype": 9, "tensor_content": struct.pack("<q", 7)}, 7),
        ({"dtype": 19, "tensor_content": struct.pack("<e", 0.5)}, 0.5),
        ({"dtype": 1, "float_val": [math.inf]}, math.nan),
    ],
)
def test_a_tensor_of_one_number_is_a_scalar(
    configured: Configured, run: Path, tensor: dict[str, Any], expected: float
) -> None:
    """As `tf.summary` writes it, in whichever field. A loss without bounds is no number."""
    write(run, event("20T01:00", 1, loss=tensor))
    config = configured(LOGS)
    assert notices(pull(config, ["tensorboard"])) == []
    (row,) = told(config, "tensorboard")
    assert row["loss"] == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


def test_images_do_not_fill_the_memory(run: Path) -> None:
    """40 events of 1 MiB are read one by one; each has a time, and a field that is not read."""
    image = framed(EVENT(wall_time=2.0).SerializeToString() + b"\x22\x80\x80\x40" + bytes(1 << 20))
    path = write(run, *[image] * 40, ONE)
    left_out = LeftOut()
    meaning = Meaning.of(TensorBoardOptions(location="logs"))
    tracemalloc.start()
    rows = write_values(path, run / "rows.parquet", "images", {}, meaning, left_out)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (rows, list(left_out.notices())) == (1, [])
    assert most < 5 << 20


@given(st.binary(max_size=200), st.integers(0, 200))
@settings(max_examples=100)
def test_no_bytes_lead_to_anything_but_records_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    whole = version() + ONE + TWO + THREE
    path = tmp_path_factory.getbasetemp() / "noise.tfevents"
    path.write_bytes(whole[:at] + noise + whole[at + len(noise) :])
    left_out = LeftOut()
    try:
        found = list(records.records(path, "noise", left_out))
    except InputError:
        return
    assert all(framed(one) in path.read_bytes() for one in found)
    assert len(found) == 4 or list(left_out.notices())


def test_the_checksum_is_castagnolis() -> None:
    """The value that RFC 3720 gives for 32 bytes of zeros."""
    assert google_crc32c.value(bytes(32)) == 0x8A9136AA
