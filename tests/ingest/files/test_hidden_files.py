"""Files whose names begin with `.` or `_` are passed over, in a folder and in S3 alike."""

from __future__ import annotations

from pathlib import Path

from ingest.files.location import FileOptions, open_store
from ingest.files.s3 import BilledTo
from ingest.paid_requests.ledger import RequestLedger
from tests.support.ingest.fake_aws import S3, Configured

HIDDEN = ("_SUCCESS", ".half.csv", "a/_b.csv", "_temporary/a.csv", "a/.staging/b.csv")


def test_hidden_files_are_passed_over_in_a_folder_and_in_s3_alike(
    configured: Configured, s3: S3, tmp_path: Path
) -> None:
    for name in ("a.csv", "b/c_.csv", *HIDDEN):
        (tmp_path / "_files" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "_files" / name).write_text("x")
    s3.put_folder(tmp_path / "_files", "_files")
    settings = configured()
    billed_to = BilledTo(RequestLedger(settings.data, settings.cost.api_budget_usd_per_day), "x")

    def paths(location: str) -> list[str]:
        store = open_store(FileOptions(location=location), settings, billed_to)
        return [entry.path for entry in store.entries()]

    for root in ("", "s3://bills/"):
        assert paths(f"{root}_files") == ["a.csv", "b/c_.csv"]
        assert paths(f"{root}_files/a/_b.csv") == ["_b.csv"]
    assert paths("s3://bills") == []
    assert paths("_files/*.csv") == ["a.csv"]
