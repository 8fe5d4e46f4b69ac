"""Allocations that somebody states: files of many clusters and days."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.pull import Report, pull
from models.config.settings import Settings
from models.engine.allocations.counted_deliveries import is_of_whole_day
from models.raw.delivery_key import Key
from models.raw.staging import Staging
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import S3, Configured
from tests.support.ingest.price_answers import told

HEAD = "cluster,resource,instance_type,held_from,held_to,accelerators,job\n"
LINE = "hpc,i-1,trn1.32xlarge,2026-09-01T22:00:00Z,2026-09-02T04:00:00+02:00,8,17\n"
OTHER = "lab,i-2,p5.48xlarge,2026-09-01T10:00:00Z,2026-09-01T11:00:00Z,8,18\n"


def pulled(configured: Configured, **other: object) -> tuple[Settings, Report]:
    settings = configured({"kind": "allocations", "location": "stated"}, **other)
    return settings, pull(settings, ["allocations"])


def jobs(settings: Settings) -> dict[tuple[str, str], list[str]]:
    live = RawZone(settings.data / "raw").live("allocations")
    return {
        (d.key.unit, d.key.period): sorted(
            job for path in d.paths for job in pq.read_table(path)["job"].to_pylist()
        )
        for d in live
    }


def refusals(report: Report) -> list[str]:
    return sorted(str(error) for error in report.results[0].errors)


def refusal(report: Report) -> str:
    (error,) = refusals(report)
    return error


@pytest.fixture
def stated(tmp_path: Path) -> Path:
    folder = tmp_path / "stated"
    folder.mkdir()
    return folder


def test_each_cluster_and_day_that_a_line_touches_is_a_delivery(
    configured: Configured, stated: Path
) -> None:
    (stated / "a.csv").write_text(HEAD + LINE + OTHER)
    settings, report = pulled(configured)
    report.raise_failures()
    assert jobs(settings) == {
        ("hpc", "2026-09-01"): ["17"],
        ("hpc", "2026-09-02"): ["17"],
        ("lab", "2026-09-01"): ["18"],
    }
    assert f"{told(settings, 'allocations')[0]['held_to']}" == "2026-09-02 02:00:00"
    assert pulled(configured)[1].results[0].new == 0


def cut_off_after_a_day(configured: Configured, monkeypatch: pytest.MonkeyPatch) -> None:
    staging, begun = RawZone.staging, list[Key]()

    def first_alone(zone: RawZone, of: Key) -> AbstractContextManager[Staging]:
        if begun:
            raise KeyboardInterrupt
        begun.append(of)
        return staging(zone, of)

    with monkeypatch.context() as cut:
        cut.setattr(RawZone, "staging", first_alone)
        with pytest.raises(KeyboardInterrupt):
            pulled(configured)


def test_days_that_a_pull_which_was_cut_off_did_not_bring_come_with_the_next(
    configured: Configured, stated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stated / "a.csv").write_text(HEAD + LINE + OTHER)
    cut_off_after_a_day(configured, monkeypatch)
    settings, report = pulled(configured)
    assert (report.results[0].new, report.results[0].unchanged) == (2, 1)
    assert len(jobs(settings)) == 3
    settings, report = pulled(configured)
    assert (report.results[0].new, report.results[0].unchanged) == (0, 1)


def test_a_file_that_changed_in_no_row_is_read_once(configured: Configured, stated: Path) -> None:
    for text, expected in ((LINE, (2, 0)), (LINE + "\n", (0, 2)), (LINE + "\n", (0, 1))):
        (stated / "a.csv").write_text(HEAD + text)
        result = pulled(configured)[1].results[0]
        assert (result.new, result.unchanged) == expected


def test_a_day_that_was_pulled_before_its_end_is_pulled_once_more_after_it(
    configured: Configured, stated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file of all days, and one of each day: a later day shows that somebody still writes."""
    day = "{0},i-1,trn1.32xlarge,2026-10-0{1}T00:00:00Z,2026-10-0{1}T03:00:00Z,16,17\n"
    with monkeypatch.context() as at_six:
        morning = datetime(2026, 10, 3, 6, tzinfo=UTC)
        at_six.setattr(RawZone, "_next_instant", lambda *_: morning)
        (stated / "all.csv").write_text(HEAD + day.format("one", 3))
        (stated / "third.csv").write_text(HEAD + day.format("many", 3))
        (stated / "stopped.csv").write_text(HEAD + day.format("stopped", 3))
        (stated / "gone.csv").write_text(HEAD + day.format("gone", 3))
        settings, _ = pulled(configured)
    assert whole(settings) == set()
    assert pulled(configured)[1].results[0].new == 0
    (stated / "gone.csv").unlink()
    (stated / "all.csv").write_text(HEAD + day.format("one", 3) + day.format("one", 5))
    (stated / "fifth.csv").write_text(HEAD + day.format("many", 5) + day.format("gone", 5))
    (stated / "old.csv").write_text(HEAD + day.format("stopped", 2))
    assert pulled(configured)[1].results[0].new == 6
    assert whole(settings) == {
        ("one", "2026-10-03"), ("one", "2026-10-05"), ("many", "2026-10-03"),
        ("many", "2026-10-05"), ("gone", "2026-10-05"), ("stopped", "2026-10-02"),
    }  # fmt: skip
    assert pulled(configured)[1].results[0].new == 0


def whole(settings: Settings) -> set[tuple[str, str]]:
    """The clusters and days that were over when they were delivered."""
    live = RawZone(settings.data / "raw").live("allocations")
    return {(each.key.unit, each.key.period) for each in live if is_of_whole_day(each)}


def test_blanks_after_commas_are_of_no_name(configured: Configured, stated: Path) -> None:
    (stated / "a.csv").write_text(HEAD + LINE.replace(",", " , ") + OTHER)
    settings, report = pulled(configured)
    assert refusals(report) == []
    days = ["2026-09-01", "2026-09-02"]
    assert [jobs(settings)["hpc", day] for day in days] == [["17"], ["17"]]
    (first, *_) = RawZone(settings.data / "raw").live("allocations")
    (row,) = pq.read_table(first.paths[0]).to_pylist()
    assert (row["resource"], row["instance_type"]) == ("i-1", "trn1.32xlarge")


def test_a_day_that_changed_comes_after_a_pull_that_only_saw_others_that_did_not(
    configured: Configured, stated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stated / "a.csv").write_text(HEAD + LINE + OTHER)
    with monkeypatch.context() as earlier:
        an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
        earlier.setattr(RawZone, "_next_instant", lambda *_: an_hour_ago)
        pulled(configured)
    (stated / "a.csv").write_text(HEAD + LINE + OTHER.replace("18", "19"))
    cut_off_after_a_day(configured, monkeypatch)
    settings, report = pulled(configured)
    assert (report.results[0].new, report.results[0].unchanged) == (1, 2)
    assert jobs(settings)["lab", "2026-09-01"] == ["19"]


def test_a_day_of_several_files_has_a_part_of_each_and_only_the_changed_one_is_read(
    configured: Configured, stated: Path
) -> None:
    (stated / "a.csv").write_text(HEAD + LINE)
    line = {"cluster": "hpc", "resource": "i-9", "held_from": "2026-09-01T01:00:00Z", "job": "20"}
    labelled = line | {"held_to": "2026-09-01T02:00:00Z", "labels": '{"user": "ada", "team": "t"}'}
    (stated / "b.jsonl").write_text(json.dumps(labelled) + "\n")
    table = pa.table({name: [value] for name, value in (line | {"job": "21"}).items()})
    pq.write_table(table.append_column("held_to", [["2026-09-01T02:00:00Z"]]), stated / "c.parquet")
    settings, report = pulled(configured)
    report.raise_failures()
    assert jobs(settings)["hpc", "2026-09-01"] == ["17", "20", "21"]
    labels = {row["labels"] for row in told(settings, "allocations")}
    assert labels == {None, '{"team": "t"}'}
    (stated / "a.csv").write_text(HEAD + LINE.replace("2026-09-02T04", "2026-09-02T01"))
    settings, report = pulled(configured)
    assert (report.results[0].new, report.results[0].unchanged) == (1, 2)
    assert jobs(settings)["hpc", "2026-09-01"] == ["17", "20", "21"]
    assert jobs(settings)["hpc", "2026-09-02"] == ["17"]  # nothing emptier replaces it
    (stated / "b.jsonl").unlink()
    assert jobs(pulled(configured)[0])["hpc", "2026-09-01"] == ["17", "20", "21"]


def test_parquet_of_other_programs_is_read(configured: Configured, stated: Path) -> None:
    """Times of nanoseconds with a zone, columns in which nothing is known, and labels as a map.

    A file of a cluster of its own for each way to write labels.
    """
    hours = [datetime(2026, 9, 1, hour, tzinfo=UTC) for hour in (1, 3)]
    held = {
        "text": pa.array(['{"team": "t"}']),
        "empty": pa.array(["{}"]),
        "map": pa.array([[("team", "t")]], pa.map_(pa.string(), pa.string())),
        "structure": pa.array([{"team": "t", "size": None}]),
    }
    for labels, said in held.items():
        table = pa.table({
            "cluster": [labels], "resource": ["i-9"], "job": ["9"], "accelerators": [8.0],
            "held_from": pa.array(hours[:1], pa.timestamp("ns", "UTC")),
            "held_to": pa.array(hours[1:], pa.timestamp("ns", "UTC")),
            "node": pa.nulls(1), "labels": said,
            "account": pa.array(["999900000001"], pa.string_view()),
            "signature": pa.array([b"\xff"], pa.binary_view()),
        })  # fmt: skip
        pq.write_table(table, stated / f"{labels}.parquet")
    settings, report = pulled(configured)
    report.raise_failures()
    rows = told(settings, "allocations")
    times = [hour.replace(tzinfo=None) for hour in hours]
    assert [[row["held_from"], row["held_to"]] for row in rows] == [times] * 4
    teams = {row["cluster"]: json.loads(row["labels"] or "{}").get("team") for row in rows}
    assert teams == {"map": "t", "text": "t", "structure": "t", "empty": None}


def test_a_day_that_its_only_file_no_longer_states_stays_until_it_is_stated_again(
    configured: Configured, stated: Path
) -> None:
    (stated / "a.csv").write_text(HEAD + LINE + OTHER)
    assert pulled(configured)[1].results[0].notices == []
    (stated / "a.csv").write_text(HEAD + LINE.replace("2026-09-02T04", "2026-09-02T01"))
    settings, report = pulled(configured)
    assert report.results[0].notices == [
        f"{stated}/a.csv no longer states 2 of the days that it had stated, 2026-09-02 of hpc for "
        "one: what it had stated of them stays until it states them again (a line with "
        "accelerators 0 states a day on which nobody held a machine)"
    ]
    assert jobs(settings)["hpc", "2026-09-02"] == ["17"]
    assert jobs(settings)["lab", "2026-09-01"] == ["18"]
    nobody = "".join(
        f"{cluster},,trn1.32xlarge,{day}T00:00:00Z,{day}T01:00:00Z,0,nobody\n"
        for cluster, day in (("hpc", "2026-09-02"), ("lab", "2026-09-01"))
    )
    (stated / "a.csv").write_text(HEAD + LINE.replace("2026-09-02T04", "2026-09-02T01") + nobody)
    settings, report = pulled(configured)
    report.raise_failures()
    assert report.results[0].notices == []
    assert jobs(settings) == {
        ("hpc", "2026-09-01"): ["17"],
        ("hpc", "2026-09-02"): ["nobody"],
        ("lab", "2026-09-01"): ["nobody"],
    }


def test_what_a_file_stated_stays_when_it_is_emptied_also_beside_other_files(
    configured: Configured, stated: Path
) -> None:
    """As where it is deleted: it states nothing."""
    (stated / "a.csv").write_text(HEAD + OTHER)
    (stated / "b.csv").write_text(HEAD + LINE + OTHER.replace("18", "19"))
    pulled(configured)
    (stated / "b.csv").write_text(HEAD)
    settings, report = pulled(configured)
    assert report.results[0].notices == [
        f"{stated}/b.csv holds no rows: what it had stated of 3 days stays (a line with "
        "accelerators 0 states a day on which nobody held a machine)"
    ]
    assert (report.results[0].new, report.results[0].errors) == (0, [])
    held = {("hpc", "2026-09-01"): ["17"], ("hpc", "2026-09-02"): ["17"]}
    assert jobs(settings) == {**held, ("lab", "2026-09-01"): ["18", "19"]}
    (stated / "a.csv").write_text(HEAD + OTHER.replace("18", "20"))
    settings, report = pulled(configured)
    assert jobs(settings) == {**held, ("lab", "2026-09-01"): ["19", "20"]}
    (stated / "b.csv").write_text(HEAD + OTHER.replace("18", "21"))
    settings, report = pulled(configured)
    assert jobs(settings) == {**held, ("lab", "2026-09-01"): ["20", "21"]}


BAD: list[tuple[str, dict[str, Any] | str, str]] = [
    (
        "held_to",
        "2026-09-01T21:59:00Z",
        "line 4: an interval ends before it starts: job 17, 2026-09-01T22:00:00Z to "
        "2026-09-01T21:59:00Z (correct held_from, held_to or observed_at)",
    ),
    (
        "accelerators",
        "17",
        "line 4: accelerators is more than the machine has: 17 of 16 (correct one of the two)",
    ),
    (
        "instance_type",
        "trn1.33xlarge",
        "line 4: instance_type is not known: trn1.33xlarge (write it as EC2 does: trn1.32xlarge)",
    ),
    (
        "held_from",
        "2026-09-01T22:00:00",
        "line 4: held_from has no time zone: 2026-09-01T22:00:00 (write it in UTC, as "
        "2026-09-01T12:00:00Z)",
    ),
    (
        "held_to",
        "9999-12-31T00:00:00Z",
        "line 4: held_to is before 2006 or more than 400 days ahead: 9999-12-31T00:00:00Z (correct "
        "it, or leave an open end empty)",
    ),
    ("cluster", "", "line 4: cluster is missing: job 17 (deliver it again, whole)"),
]


def test_a_bad_line_refuses_its_file_and_what_was_there_stays(
    configured: Configured, stated: Path
) -> None:
    """Each in a file of a cluster of its own."""
    for number in range(len(BAD)):
        (stated / f"{number}.csv").write_text(HEAD + LINE.replace("hpc", f"hpc{number}"))
    pulled(configured)
    names = HEAD.strip().split(",")
    for number, (column, value, _) in enumerate(BAD):
        good = LINE.replace("hpc", f"hpc{number}")
        wrong = dict(zip(names, good.strip().split(","), strict=True)) | {column: value}
        text = HEAD + good + OTHER + ",".join(wrong.values()) + "\n"
        (stated / f"{number}.csv").write_text(text)
    settings, report = pulled(configured)
    assert refusals(report) == [
        f"{stated}/{number}.csv: {said}" for number, (*_, said) in enumerate(BAD)
    ]
    assert sorted(jobs(settings)) == [
        (f"hpc{number}", f"2026-09-0{day}") for number in range(len(BAD)) for day in (1, 2)
    ]


def lines(*places: tuple[str, str, str]) -> str:
    """A file of jobs, each with its account and day."""
    head, here = "cluster,resource,account,held_from,held_to,job\n", "hpc,i-9"
    return head + "".join(
        f"{here},{account},2026-09-{day}T01:00:00Z,2026-09-{day}T02:00:00Z,{job}\n"
        for account, day, job in places
    )


A, B = "999900000001", "999900000002"


def test_lines_that_name_their_account_are_about_the_cluster_of_that_account_alone(
    configured: Configured, stated: Path
) -> None:
    (stated / "a.csv").write_text(lines((A, "01", "1"), (B, "01", "2"), (A, "02", "3")))
    (stated / "b.csv").write_text(lines((A, "03", "4"), ("", "03", "5")))
    settings, report = pulled(configured)
    report.raise_failures()
    assert jobs(settings) == {
        (f"{A}/hpc", "2026-09-01"): ["1"],
        (f"{B}/hpc", "2026-09-01"): ["2"],
        (f"{A}/hpc", "2026-09-02"): ["3"],
        ("hpc", "2026-09-03"): ["4", "5"],
    }


def test_files_of_a_day_name_their_account_all_or_none(
    configured: Configured, stated: Path
) -> None:
    (stated / "a.csv").write_text(lines((A, "01", "1")))
    pulled(configured)
    (stated / "b.csv").write_text(lines(("", "01", "2")))
    settings, report = pulled(configured)
    assert refusal(report) == (
        f"{stated}/b.csv: the account of hpc on 2026-09-01 is named here or there, not in both: "
        f"{stated}/a.csv (name it in both)"
    )
    assert jobs(settings) == {(f"{A}/hpc", "2026-09-01"): ["1"]}
    (stated / "b.csv").write_text(lines((B, "01", "2")))
    settings, report = pulled(configured)
    report.raise_failures()
    assert len(jobs(settings)) == 2


def labelled(stated: Path, **labels: str) -> None:
    """A file for each of some labels, of a cluster of its own."""
    times = {"held_from": "2026-09-01T01:00:00Z", "held_to": "2026-09-01T02:00:00Z"}
    for name, said in labels.items():
        line = {"cluster": name, "resource": "i-9", "labels": said}
        (stated / f"{name}.jsonl").write_text(json.dumps(line | times) + "\n")


def test_labels_of_no_value_and_of_a_long_number_are_read(
    configured: Configured, stated: Path
) -> None:
    labelled(stated, none="NULL", long='{"n": 7, "long": ' + "1" * 5000 + "}")
    settings, report = pulled(configured)
    report.raise_failures()
    rows = told(settings, "allocations")
    assert {row["cluster"]: json.loads(row["labels"] or "null") for row in rows} == {
        "none": None,
        "long": {"n": 7, "long": "1" * 5000},
    }


def test_labels_that_python_cannot_read_are_one_line(configured: Configured, stated: Path) -> None:
    bad = {"comma": '{"team": "t",}', "deep": '{"a": ' * 3000 + "1" + "}" * 3000}
    labelled(stated, **bad)
    for said, name in zip(refusals(pulled(configured)[1]), bad, strict=True):
        begun = f"{stated}/{name}.jsonl: line 1: labels cannot be read: {bad[name][:10]}"
        assert said.startswith(begun)
        assert said.endswith("(write a JSON object of keys and values)")


NO_NUMBERS = (
    ("accelerators", float("nan"), "nan (write a plain decimal number)"),
    ("accelerators", True, "true (write a plain decimal number)"),
    ("share", float("inf"), "inf (write a plain decimal number)"),
    ("attempt", float("nan"), "nan (write a whole number)"),
    ("attempt", 2.0**70, "1.1805916207174113e+21 (write a whole number)"),
)


def test_what_is_no_number_in_parquet_is_refused(configured: Configured, stated: Path) -> None:
    line = {"cluster": "hpc", "resource": "i-9", "held_from": "2026-09-01T01:00:00Z"}
    for number, (column, value, _) in enumerate(NO_NUMBERS):
        table = pa.table({name: [held] for name, held in (line | {column: value}).items()})
        pq.write_table(table, stated / f"{number}.parquet")
    assert refusals(pulled(configured)[1]) == [
        f"{stated}/{number}.parquet: row 1: {column} cannot be read: {said}"
        for number, (column, _, said) in enumerate(NO_NUMBERS)
    ]


def test_a_misspelt_column_is_refused_and_one_of_another_name_is_not(
    configured: Configured, stated: Path
) -> None:
    text = HEAD.replace("accelerators", "acclerators") + LINE
    (stated / "a.csv").write_text(text)
    assert refusal(pulled(configured)[1]) == (
        f"{stated}/a.csv: unknown column: acclerators "
        "(did you mean accelerators? rename it, then deliver again)"
    )
    (stated / "a.csv").write_text(HEAD.replace("job", "job,note") + LINE.replace("17", "17,x"))
    assert pulled(configured)[1].results[0].new == 2


def test_a_file_of_a_header_alone_is_said_to_hold_no_rows(
    configured: Configured, stated: Path
) -> None:
    (stated / "a.csv").write_text(HEAD)
    result = pulled(configured)[1].results[0]
    assert (result.errors, result.notices) == ([], [f"{stated}/a.csv holds no rows"])


def test_a_line_of_json_is_named_by_its_number_and_a_missing_column_by_its_name(
    configured: Configured, stated: Path
) -> None:
    line = {"cluster": "hpc", "resource": "i-9", "held_from": "2026-09-01T01:00:00Z", "share": "2"}
    (stated / "a.jsonl").write_text("\n" + json.dumps(line) + "\n")
    assert "a.jsonl: line 2: share is more than the machine has: 2 of 1" in refusal(
        pulled(configured)[1]
    )
    (stated / "a.jsonl").unlink()
    (stated / "b.csv").write_text("cluster,from\nhpc,2026-09-01\n")
    assert "b.csv: required column missing: held_from" in refusal(pulled(configured)[1])
    (stated / "b.csv").unlink()
    assert "allocations: no file of allocations" in refusal(pulled(configured)[1])


def test_files_in_s3_are_read_like_those_of_a_folder(configured: Configured, s3: S3) -> None:
    s3.client.put_object(Bucket="bills", Key="held/a.csv", Body=(HEAD + LINE).encode())
    source = {"kind": "allocations", "location": "s3://bills/held"}
    settings = configured(source)
    pull(settings, ["allocations"]).raise_failures()
    assert len(jobs(settings)) == 2
    s3.asked()
    pull(settings, ["allocations"]).raise_failures()
    assert s3.asked() == []
