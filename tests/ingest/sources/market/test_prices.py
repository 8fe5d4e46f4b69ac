"""The shipped prices and the user's own."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ingest.pull import pull
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.raw.pulls.feed_states import FeedJournal
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured
from tests.support.some_marts import some_marts
from tests.support.world import World

HEAD = "instance_type,region,purchase_option,usd_per_hour,effective_from,observed_on\n"
OWNERS = ("ours", "theirs")
LINE = "p5.48xlarge,us-east-1,on_demand,40.00,2026-09-01,2026-09-02\n"


def units(settings: Settings) -> list[tuple[str, int]]:
    live = RawZone(settings.data / "raw").live("prices")
    return [(delivery.key.unit, delivery.rows) for delivery in live]


def test_the_seed_is_there_without_any_source(untouched: Configured) -> None:
    settings = untouched()
    assert pull(settings, ["prices"]).results[0].new == 1
    ((unit, rows),) = units(settings)
    assert unit == "seed"
    assert rows > 100
    assert pull(settings, ["prices"]).results[0].new == 0


def test_the_seed_has_a_name_and_not_the_path_of_an_installation(untouched: Configured) -> None:
    """A backup is restored elsewhere, and its journal and markers are read there."""
    settings = untouched()
    pull(settings, ["prices"]).raise_failures()
    (delivery,) = RawZone(settings.data / "raw").live("prices")
    assert [file.origin for file in delivery.files] == ["breakeven:prices.csv"]
    (feed,) = FeedJournal(settings.data).pulled()
    assert feed.location == "breakeven:prices.csv"


def test_the_users_prices_add_to_the_seed(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(HEAD + LINE)
    settings = configured({"kind": "prices", "location": "ours.csv"})
    pull(settings).raise_failures()
    assert [unit for unit, _ in units(settings)] == ["ours.csv", "seed"]


def test_a_price_that_was_corrected_back_is_the_one_that_counts(
    configured: Configured, tmp_path: Path
) -> None:
    settings = configured({"kind": "prices", "location": "ours.csv"})
    for dollars in ("40.00", "41.00", "40.00"):
        (tmp_path / "ours.csv").write_text(HEAD + LINE.replace("40.00", dollars))
        pull(settings).raise_failures()
    live = [d for d in RawZone(settings.data / "raw").live("prices") if d.key.unit == "ours.csv"]
    prices = [pq.read_table(path)["usd_per_hour"].to_pylist() for d in live for path in d.paths]
    assert prices == [["40.00"]]


def test_a_price_is_corrected_and_withdrawn_in_its_file(world: World) -> None:
    """10 h an epoch, list as paid: $3 an hour was a typo for $8. The other file is as it was."""
    for name, day in (("g1", "2025-05-02"), ("g2", "2025-05-12")):
        world.run(name, "g5.48xlarge", f"{day}T00:00:00", 20, 10, 2)
    world.run("t1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4)
    for charge in world.charges:
        charge["RegionId"] = "us-east-9"  # where no shipped price holds
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    line = "g5.48xlarge,us-east-9,on_demand,{},{},2025-08-01\n"
    (world.folder / "theirs.csv").write_text(HEAD + line.format("9", "2025-09-03"))
    sources = [{"kind": "focus", "location": "bill.csv"}]
    sources += [{"kind": "progress_file", "location": "progress.csv"}]
    sources += [{"kind": "prices", "location": f"{name}.csv", "name": name} for name in OWNERS]
    told = "SELECT repriced FROM baselines WHERE date BETWEEN '2025-09-02' AND '2025-09-03'"
    first = HEAD + line.format("10", "2025-05-01")
    for dollars, repriced in (("3", 30), ("8", 80), ("", 100)):
        second = line.format(dollars, "2025-08-01") if dollars else ""
        (world.folder / "ours.csv").write_text(first + second)
        marts = some_marts(world.pulled(sources=sources), "baselines")
        found = marts.rows(f"{told} ORDER BY date")
        assert [row["repriced"] for row in found] == [repriced, 90]


def test_a_price_of_zero_is_refused(configured: Configured, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text(HEAD + LINE.replace("40.00", "0.00"))
    settings = configured({"kind": "prices", "location": "ours.csv"})
    with pytest.raises(BreakevenError, match="usd_per_hour is not a price on line 2: 0"):
        pull(settings).raise_failures()
    assert [unit for unit, _ in units(settings)] == ["seed"]


def test_a_price_without_its_day_is_told_by_its_line(
    configured: Configured, tmp_path: Path
) -> None:
    """A line is left blank, and a source's name goes over two."""
    named = f'{LINE.strip()},"two\nlines"\n'
    path = tmp_path / "ours.csv"
    path.write_text(
        HEAD.replace("_on\n", "_on,source\n")
        + named
        + "\n"
        + ",".join(("p5.48xlarge", "us-east-1", "on_demand", "41.00", "", "2026-09-02", "x"))
    )
    settings = configured({"kind": "prices", "location": "ours.csv"})
    said = r"ours\.csv: effective_from is missing on line 5: p5\.48xlarge"
    with pytest.raises(BreakevenError, match=said):
        pull(settings).raise_failures()


def test_a_committed_rate_must_name_its_term(configured: Configured, tmp_path: Path) -> None:
    line = LINE.replace("on_demand", "committed").strip()
    settings = configured({"kind": "prices", "location": "ours.csv"})
    (tmp_path / "ours.csv").write_text(HEAD + line + "\n")
    with pytest.raises(BreakevenError, match="a committed rate without a plan that says its term"):
        pull(settings).raise_failures()
    named = HEAD.replace("observed_on", "observed_on,plan") + line + ',"Ours, 3 yr, No Upfront"\n'
    (tmp_path / "ours.csv").write_text(named)
    pull(settings).raise_failures()
    assert [unit for unit, _ in units(settings)] == ["ours.csv", "seed"]


def test_a_missing_price_file_is_named(configured: Configured) -> None:
    with pytest.raises(BreakevenError, match=r"no price file found: .*ours.csv"):
        pull(configured({"kind": "prices", "location": "ours.csv"})).raise_failures()
