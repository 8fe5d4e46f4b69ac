"""A pull as a whole: what fails, what stays, and what a crash leaves behind."""

from __future__ import annotations

import json
import os
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from ingest.pull import Step, pull
from models.config.settings import Settings
from models.contract.errors import (
    BusyError,
    ConfigError,
    InputError,
    SeveralError,
    SourceError,
    StorageError,
)
from models.engine.warehouse.lock import lock
from models.raw.delivery_key import Key
from models.raw.pulls.feed_states import FeedJournal
from models.raw.pulls.pull_history import PullHistory
from models.raw.pulls.pull_journal import UNFINISHED, failing_since
from models.raw.zone import RawZone
from tests.support.bills.cur2_reports import reported
from tests.support.ingest import crashes
from tests.support.ingest.fake_aws import Configured
from tests.support.ingest.focus_exports import as_csv, charge, deliver
from tests.support.world import write

HEAD = "observed_at,workload,run,epoch\n"
FOCUS = crashes.BILL
ENDS = 30
"""Seconds after which a process that hangs fails its test."""


def live(settings: Settings) -> list[tuple[str, str, str]]:
    found = RawZone(settings.data / "raw").live()
    return [(d.key.source, d.key.period, d.id) for d in found if d.key.source != "prices"]


def unsealed(settings: Settings) -> list[Path]:
    folders = (settings.data / "raw").glob("*/*/*/*")
    return [f for f in folders if f.is_dir() and not (f / "_delivery.json").exists()]


def test_a_failing_source_never_stops_the_others(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "epochs.csv").write_text(HEAD + "2026-09-01T00:00:00Z,w,r,1\n")
    settings = configured(FOCUS, {"kind": "progress_file", "location": "epochs.csv"})
    report = pull(settings)
    assert [source for source, _, _ in live(settings)] == ["progress_file"]
    with pytest.raises(InputError, match="no export found"):
        report.raise_failures()


@pytest.mark.parametrize(
    ("wanted", "advice"),
    [
        ("focsu", "did you mean focus? it is one of cost_explorer, cur2, focus, our-bill"),
        ("our_bill", "did you mean our-bill? it is one of cost_explorer, cur2, focus, our-bill"),
        ("xyz", "it is one of cost_explorer, cur2, focus, our-bill"),
    ],
)
def test_a_cost_source_that_brings_no_bill_is_refused_before_anything_is_read(
    untouched: Configured, wanted: str, advice: str
) -> None:
    progress = {"kind": "progress_file", "location": "epochs.csv", "name": "epochs"}
    settings = untouched({**FOCUS, "name": "our-bill"}, progress, cost={"source": wanted})
    with pytest.raises(ConfigError) as caught:
        pull(settings)
    said = f"cost.source names no source that brings a bill: {wanted} ({advice})"
    assert str(caught.value) == said
    assert not (settings.data / "raw").exists()


def test_a_bill_of_a_source_that_the_config_no_longer_has_stays_the_bill(
    configured: Configured, tmp_path: Path
) -> None:
    deliver(tmp_path / "exp", "2026-09", [charge("2026-09-01")])
    cost = {"cost": {"source": "ours"}}
    pull(configured({**FOCUS, "name": "ours"}, **cost)).raise_failures()
    (tmp_path / "epochs.csv").write_text(HEAD + "2026-09-01T00:00:00Z,w,r,1\n")
    settings = configured({"kind": "progress_file", "location": "epochs.csv"}, **cost)
    pull(settings).raise_failures()
    brought = {delivery.key.source for delivery in RawZone(settings.data / "raw").live()}
    assert brought == {"ours", "progress_file", "prices"}


@pytest.mark.parametrize(
    ("kind", "other", "said"),
    [
        ("focus", "cur2", "not a FOCUS export: it is a Cost and Usage Report (CUR 2.0)"),
        ("cur2", "focus", "not a Cost and Usage Report (CUR 2.0): it is a FOCUS export"),
    ],
)
def test_a_bill_under_the_wrong_kind_is_called_what_it_is(
    configured: Configured, tmp_path: Path, kind: str, other: str, said: str
) -> None:
    lines = {"focus": charge("2026-09-01"), "cur2": reported("2026-09-01", "Usage", 1)}
    write(tmp_path / "bill.csv", [lines[other]])
    settings = configured({"kind": kind, "location": "bill.csv"}, cost={"source": kind})
    with pytest.raises(InputError) as caught:
        pull(settings).raise_failures()
    remedy = f'(set kind = "{other}" in this [[sources]] entry, then ingest again)'
    assert str(caught.value) == f"{kind}: {tmp_path}/bill.csv: {said} {remedy}"


def test_several_failures_are_counted_and_the_first_is_said(configured: Configured) -> None:
    settings = configured(FOCUS, {"kind": "progress_file", "location": "epochs.csv"})
    with pytest.raises(SourceError) as caught:
        pull(settings).raise_failures()
    said = "2 deliveries failed (focus, progress_file), first: focus: no export found: "
    assert str(caught.value).startswith(said)


def test_every_failure_has_its_line(configured: Configured, tmp_path: Path) -> None:
    settings = configured(FOCUS, {"kind": "progress_file", "location": "epochs.csv"})
    with pytest.raises(SeveralError) as caught:
        pull(settings).raise_failures()
    bill, progress = caught.value.lines
    assert bill.startswith("focus: no export found: ")
    assert progress.startswith("progress_file: no progress file found: ")


def test_two_sources_of_one_kind_can_be_told_apart(configured: Configured, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text(HEAD + f"2026-09-01T00:00:00Z,{name},r,1\n")
    entries: list[dict[str, Any]] = [
        {"kind": "progress_file", "location": f"{name}.csv"} for name in "abc"
    ]
    entries[2]["name"] = "epochs"
    told = pull(configured(*entries)).documents()[:3]
    assert [entry["kind"] for entry in told] == ["progress_file"] * 3
    assert [entry["source"] for entry in told] == ["progress_file", "progress_file", "epochs"]
    places = [f"{tmp_path}/{name}.csv" for name in "abc"]
    assert [entry["location"] for entry in told] == places
    called = [f"progress_file ({places[0]})", f"progress_file ({places[1]})", "epochs"]
    assert [entry["called"] for entry in told] == called


def test_progress_is_told_delivery_by_delivery(configured: Configured, tmp_path: Path) -> None:
    for month in ("2026-08", "2026-09"):
        deliver(tmp_path / "exp", month, [charge(f"{month}-01")])
    steps: list[Step] = []
    pull(configured(FOCUS), ["focus"], tell=steps.append)
    assert steps[:2] == [
        Step("focus", "exp", "2026-08", 0, 2),
        Step("focus", "exp", "2026-09", 1, 2),
    ]


def test_each_pull_of_a_source_is_in_the_journal(untouched: Configured, tmp_path: Path) -> None:
    settings = untouched(FOCUS)
    pull(settings, ["focus"])
    feeds = FeedJournal(settings.data)
    focus, prices = feeds.feeds(settings)
    assert focus.last_success is None
    assert focus.last_error.startswith("no export found")
    assert prices.last_success is not None
    deliver(tmp_path / "exp", "2026-09", [charge("2026-09-01")])
    pull(settings, ["focus"])
    focus, _ = feeds.feeds(settings)
    assert focus.last_success == focus.last_attempt
    assert not focus.last_error
    told = (settings.data / "deliveries.jsonl").read_text().splitlines()
    noted: list[dict[str, Any]] = list(map(json.loads, told))
    begun = [n for n in noted if n["error"] == UNFINISHED]
    ended = [n for n in noted if n not in begun]
    assert [n["source"] for n in begun] == ["focus", "prices"] * 2
    assert [(n["source"], n["new"]) for n in ended] == [
        ("focus", 0),
        ("prices", 1),
        ("focus", 1),
        ("prices", 0),
    ]


def test_a_corrected_location_no_longer_fails(configured: Configured, tmp_path: Path) -> None:
    """The other feeds of its name stay, and so does what was not asked for."""
    prices = {"kind": "prices", "location": "our-prices.csv"}
    wrong, right, other = (
        {"kind": "progress_file", "location": place} for place in ("epoch.csv", "a.csv", "b.csv")
    )
    for place in ("a.csv", "b.csv"):
        (tmp_path / place).write_text(HEAD + f"2026-09-01T00:00:00Z,w,{place},1\n")

    def failing(*sources: dict[str, str], names: tuple[str, ...] = ()) -> list[str]:
        settings = configured(*sources)
        pull(settings, names)
        states = FeedJournal(settings.data).feeds(settings)
        return [Path(feed.location).name for feed in states if feed.last_error]

    assert failing(wrong, other, prices) == ["our-prices.csv", "epoch.csv"]
    assert failing(right, other, prices, names=("progress_file",)) == ["our-prices.csv"]
    assert failing(right, other) == []
    data = configured(right, other).data
    assert len(PullHistory(data).newest()) == 4 + 3 + 3
    assert str(tmp_path / "epoch.csv") in [location for _, location, *_ in failing_since(data)]


def test_a_change_of_a_delivered_month_is_told(configured: Configured, tmp_path: Path) -> None:
    """By account: one is corrected, one vanishes, one is new; a new month is no change."""
    settings = configured(FOCUS)
    export = tmp_path / "exp"
    first = [charge("2024-09-01", "10", account=a) for a in ("1", "2")]
    deliver(export, "2024-09", first)
    assert pull(settings, ["focus"]).restated() == []
    corrected = {"1": "7.5", "3": "1"}
    deliver(export, "2024-09", [charge("2024-09-01", corrected[a], account=a) for a in corrected])
    deliver(export, "2024-10", [charge("2024-10-01")])
    report = pull(settings, ["focus"])
    assert report.restated() == [
        "focus 2024-09 changed after it was settled: "
        "billed $20.00 → $8.50, effective $20.00 → $8.50 (3 accounts)"
    ]
    told = report.documents()[0]["restated"]
    assert isinstance(told, list)
    assert [(t["account"], t["old_billed"], t["new_effective"]) for t in told] == [
        ("1", "10.000000000", "7.500000000"),
        ("2", "10.000000000", "0.000000000"),
        ("3", "0.000000000", "1.000000000"),
    ]
    assert {(t["month"], t["settled"]) for t in told} == {("2024-09", True)}


def test_a_second_writer_is_refused_and_the_first_is_named(configured: Configured) -> None:
    settings = configured(FOCUS)
    with (
        lock(settings.data, purpose="build"),
        pytest.raises(BusyError, match=f"process {os.getpid()}, `breakeven build` since"),
    ):
        pull(settings)


def test_a_config_without_sources_says_how_to_get_one(configured: Configured) -> None:
    with pytest.raises(ConfigError, match=r"no \[\[sources\]\] are configured .`breakeven init`"):
        pull(configured())


def test_what_a_crash_left_is_swept_by_the_next_pull(configured: Configured) -> None:
    settings = configured(FOCUS)
    torn = settings.data / "raw" / "focus" / "exp" / "2026-09" / "20260901T000000-ff"
    torn.mkdir(parents=True)
    (torn / "00000.parquet").write_bytes(b"PAR1")
    pull(settings)
    assert not torn.exists()


@pytest.mark.parametrize("stage", ["fetched", "written", "checked", "marker begun", "sealed"])
def test_a_process_killed_at_any_stage_leaves_a_whole_state(
    configured: Configured, processes: ForkServerContext, tmp_path: Path, stage: str
) -> None:
    settings = configured(FOCUS)
    deliver(tmp_path / "exp", "2026-09", [charge("2026-09-01", "1")], suffix=".csv")
    pull(settings).raise_failures()
    before = live(settings)
    deliver(tmp_path / "exp", "2026-09", [charge("2026-09-01", "2")], suffix=".csv")
    process = processes.Process(target=crashes.pull_killed, args=(tmp_path, stage))
    process.start()
    process.join(ENDS)
    assert process.exitcode == crashes.KILLED
    assert (live(settings) == before) == (stage != "sealed")
    report = pull(settings)
    report.raise_failures()
    assert report.results[0].new == (stage != "sealed")
    assert not unsealed(settings)
    assert len(live(settings)) == 1


def test_a_killed_process_lets_go_of_the_lock(
    configured: Configured, processes: ForkServerContext, tmp_path: Path
) -> None:
    deliver(tmp_path / "exp", "2026-09", [charge("2026-09-01")])
    settings = configured(FOCUS)
    ours, theirs = processes.Pipe()
    process = processes.Process(target=crashes.pull_that_hangs, args=(tmp_path, theirs))
    process.start()
    assert ours.recv() == "hangs"
    with pytest.raises(BusyError, match=f"process {process.pid}, `breakeven ingest`"):
        pull(settings)
    process.kill()
    process.join(ENDS)
    pull(settings).raise_failures()
    assert len(live(settings)) == 1


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_a_full_disk_is_one_line_and_nothing_is_left(
    configured: Configured, processes: ForkServerContext, tmp_path: Path, suffix: str
) -> None:
    """A limit on the size of files stands for it: the system call fails in the same place."""
    lines = [charge("2026-09-01", str(n * 7919 % 100_003)) for n in range(20_000)]
    deliver(tmp_path / "exp", "2026-09", lines, suffix=suffix)
    ours, theirs = processes.Pipe()
    process = processes.Process(target=crashes.pull_on_a_small_disk, args=(tmp_path, theirs))
    process.start()
    said = ours.recv()
    process.join(ENDS)
    assert said.startswith("StorageError ")
    assert "\n" not in said
    settings = configured(FOCUS)
    assert not live(settings)
    assert not unsealed(settings)


def test_a_copy_that_does_not_fit_is_the_disks_fault_not_the_files(
    processes: ForkServerContext, tmp_path: Path
) -> None:
    text = "".join(f"{n * 7919 % 100_003},{n * n % 99_991}\n" for n in range(100_000))
    (tmp_path / "a.csv").write_text(f"a,b\n{text}")
    ours, theirs = processes.Pipe()
    process = processes.Process(target=crashes.convert_on_a_small_disk, args=(tmp_path, theirs))
    process.start()
    assert ours.recv().startswith(f"StorageError cannot keep {tmp_path}/a.csv: ")
    process.join(ENDS)


def test_a_folder_that_cannot_be_written_is_named(untouched: Configured, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    settings = untouched(FOCUS, warehouse={"path": "data/deeper/warehouse.duckdb"})
    with pytest.raises(StorageError, match=f"cannot write {tmp_path}/data/deeper"):
        pull(settings)


def test_superseded_files_go_after_their_days(configured: Configured, tmp_path: Path) -> None:
    export = tmp_path / "exp"
    settings = configured(FOCUS, raw={"keep_days": 0})
    for cost in "123":
        deliver(export, "2026-09", [charge("2026-09-01", cost)])
        pull(settings, ["focus"]).raise_failures()
    zone = RawZone(settings.data / "raw")
    first, second, third = zone.history(Key("focus", "exp", "2026-09"))
    assert not first.present  # swept by the third pull
    assert second.present
    pull(settings, ["focus"])
    assert not second.present
    assert third.present
    assert json.loads((second.folder / "_delivery.json").read_text())["id"] == second.id


def test_a_live_file_that_somebody_deleted_is_fetched_again(
    configured: Configured, tmp_path: Path
) -> None:
    (tmp_path / "bill.csv").write_bytes(as_csv([charge("2026-09-01")]))
    settings = configured({"kind": "focus", "location": "bill.csv"})
    pull(settings).raise_failures()
    (delivery,) = RawZone(settings.data / "raw").live("focus")
    delivery.paths[0].unlink()
    assert pull(settings).results[0].new == 1
