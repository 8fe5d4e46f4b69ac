"""The marker says all of a delivery but where it lies, and reads back the same."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from models.contract.errors import StorageError
from models.raw.delivery import Delivery, File
from models.raw.delivery_key import Key
from models.raw.marker import MARKER, read_marker, write_marker


def sealed(folder: Path) -> Delivery:
    folder.mkdir(parents=True, exist_ok=True)
    delivery = Delivery(
        key=Key("focus", "é/ü", "2026-09"),
        id="d1",
        format="focus",
        pulled_at=datetime(2026, 9, 2, 3, 4, 5, 678901, tzinfo=UTC),
        files=(File("00000.parquet", "ab12", 3, 44, "s3://b/k", '"etag"'),),
        append=True,
        totals={"1|2|2026-09": {"BilledCost": "0.300000000"}},
        request_ids=("r1", "r2"),
        folder=folder,
    )
    write_marker(delivery)
    return delivery


def test_a_delivery_is_read_back_the_same_to_the_microsecond(tmp_path: Path) -> None:
    written = sealed(tmp_path)
    assert read_marker(tmp_path / MARKER) == written


def test_a_raw_zone_that_was_moved_is_read_where_it_lies_now(tmp_path: Path) -> None:
    written = sealed(tmp_path / "old")
    shutil.move(tmp_path / "old", tmp_path / "new")
    found = read_marker(tmp_path / "new" / MARKER)
    assert found.paths == [tmp_path / "new" / "00000.parquet"]
    assert (found.key, found.fingerprint) == (written.key, written.fingerprint)


def test_the_marker_is_json_without_its_folder(tmp_path: Path) -> None:
    sealed(tmp_path)
    document = json.loads((tmp_path / MARKER).read_text())
    assert document["key"] == {"source": "focus", "unit": "é/ü", "period": "2026-09"}
    assert document["pulled_at"] == "2026-09-02T03:04:05.678901+00:00"
    assert str(tmp_path) not in (tmp_path / MARKER).read_text()


@pytest.mark.parametrize(
    ("field", "value"), [("pulled_at", "yesterday"), ("files", [{"name": "a"}]), ("key", "focus")]
)
def test_a_marker_of_another_form_is_refused_in_one_line_with_the_remedy(
    tmp_path: Path, field: str, value: object
) -> None:
    sealed(tmp_path)
    marker = tmp_path / MARKER
    marker.write_text(json.dumps(json.loads(marker.read_text()) | {field: value}))
    with pytest.raises(StorageError) as caught:
        read_marker(marker)
    message = str(caught.value)
    assert message.startswith(f"cannot read {marker}: ")
    assert message.endswith(" (delete its folder and ingest again)")
    assert "\n" not in message


def test_a_marker_without_a_field_names_it(tmp_path: Path) -> None:
    sealed(tmp_path)
    marker = tmp_path / MARKER
    document = json.loads(marker.read_text())
    del document["totals"]
    marker.write_text(json.dumps(document))
    with pytest.raises(StorageError, match="'totals'"):
        read_marker(marker)
