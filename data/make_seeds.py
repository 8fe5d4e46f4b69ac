"""Makes the two seeds of this folder, `accelerators.csv` and `prices.csv`, from the public data.

Run from the repository root: `python data/make_seeds.py SOURCE_FOLDER`. The source folder holds
`accelerators.csv`, `instance_vcpus.csv`, `price_history.csv` and `prices_ec2_accelerators.csv`;
those that the shipped seeds were made from lie in `tests/fixtures/public/seeds`. The rules are in
`data/README.md`; the same input always gives the same bytes.
"""

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent

HARDWARE = {"Trainium": "trainium", "Inferentia": "inferentia"}
PURCHASE_OPTIONS = {"on-demand": "on_demand", "spot": "spot", "capacity-block": "capacity_block"}

# AWS announced the cut of its P4 and P5 on-demand prices as effective on 1 June 2025 in every
# region; the public feeds show it on 23 June.
ANNOUNCED_FROM = date(2025, 6, 1)
ANNOUNCED_SEEN_BY = date(2025, 7, 31)
ANNOUNCED_PLATFORMS = frozenset({"p4d", "p4de", "p5", "p5en"})

# The first name that holds wins where two sources saw one series on one day.
SOURCE_RANK = (
    "aws/karpenter-provider-aws",
    "AWS price list",
    "koyakimu/ec2-capacity-blocks-for-ml-pricing-json",
    "public price-list fixture",
    "LeanerCloud/ec2-instances-info",
    "skypilot-org/skypilot-catalog",
    "tsaol/aws-gpu",
)

CATALOGUE_COLUMNS = (
    "instance_type",
    "platform",
    "hardware",
    "accelerator",
    "accelerators",
    "vcpus",
    "vendor",
    "memory_gib_per_accelerator",
    "neuron_cores",
    "bf16_dense_tflops_per_accelerator",
    "fp8_dense_tflops_per_accelerator",
    "source",
)
PRICE_COLUMNS = (
    "instance_type",
    "region",
    "purchase_option",
    "usd_per_hour",
    "effective_from",
    "observed_on",
    "source",
)


class Series(NamedTuple):
    """What a price history is of: an instance type, a region and a purchase option."""

    instance_type: str
    region: str
    purchase_option: str


class Observation(NamedTuple):
    """A price per hour that a source showed on a day."""

    observed_on: date
    usd_per_hour: Decimal
    source: str


class Price(NamedTuple):
    """A price with the day from which it was in force."""

    series: Series
    effective_from: date
    seen: Observation


def platform_of(instance_type: str) -> str:
    """Returns the instance family: `p6-b200` of `p6-b200.48xlarge`."""
    return instance_type.partition(".")[0]


def hardware_of(accelerator: str) -> str:
    """Returns `trainium` or `inferentia` for such accelerator names; for all others `gpu`."""
    return HARDWARE.get(accelerator.rstrip("0123456789"), "gpu")


def catalogue(
    rows: Iterable[dict[str, str]], processors: Iterable[dict[str, str]]
) -> Iterator[dict[str, str]]:
    """Yields the accelerator rows with platform, hardware and vCPUs added, in given order."""
    known = {row["instance_type"]: row for row in processors}
    for row in rows:
        of_type = known.get(row["instance_type"], {"vcpus": "", "source": ""})
        yield {
            **row,
            "vcpus": of_type["vcpus"],
            "source": "; ".join(filter(None, (row["source"], of_type["source"]))),
            "platform": platform_of(row["instance_type"]),
            "hardware": hardware_of(row["accelerator"]),
        }


def date_seen(row: dict[str, str]) -> date:
    """Returns the day of a price observation: the AWS price list's date, else the one given.

    A range of months (`2025-10..11`) stands for its last day: before it the price is not proven.
    """
    version = re.search(r"version (\d{4})(\d{2})(\d{2})\d{6}$", row.get("event", ""))
    if version:
        year, month, day = map(int, version.groups())
        return date(year, month, day)
    text = row.get("observed_date") or row["effective_date"]
    months = re.fullmatch(r"(\d{4})-\d{2}\.\.(\d{2})", text)
    if months:
        year, month = map(int, months.groups())
        return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return date.fromisoformat(text)


def source_name(row: dict[str, str]) -> str:
    """Returns where a price was read: the AWS price list's version, else repository and path."""
    text = " ".join((row["source_repo"], row.get("event", "")))
    version = re.search(r"[Vv]ersion (\d{14})", text)
    if version:
        return f"AWS price list AmazonEC2 us-east-1 version {version.group(1)}"
    if "fixture" in row["source_path"]:
        return "public price-list fixture (AWS SKUs; repository not named)"
    return f"{row['source_repo']}@{row['source_commit'][:12]} {row['source_path']}"


def observations(
    rows: Iterable[dict[str, str]], known_types: frozenset[str]
) -> Iterator[tuple[Series, Observation]]:
    """Yields price observations of known instance types with a region and purchase option."""
    for row in rows:
        option = PURCHASE_OPTIONS.get(row["purchase_option"])
        if option and row["region"] and row["instance_type"] in known_types:
            series = Series(row["instance_type"], row["region"], option)
            usd_per_hour = Decimal(row["usd_per_hour"])
            yield series, Observation(date_seen(row), usd_per_hour, source_name(row))


def rank(seen: Observation) -> int:
    """Returns the rank of an observation's source, 0 for the most preferred."""
    return next(n for n, name in enumerate(SOURCE_RANK) if seen.source.startswith(name))


def one_a_day(seen: Iterable[Observation]) -> list[Observation]:
    """Returns each day's observation from the best source, oldest first."""
    best: dict[date, Observation] = {}
    for observation in sorted(seen, key=lambda o: (rank(o), o.source)):
        best.setdefault(observation.observed_on, observation)
    return [best[day] for day in sorted(best)]


def effective_after_change(series: Series, old: Observation, new: Observation) -> date:
    """Returns the day a price changed: as announced, else the bound that favours Trainium less.

    A GPU that got cheaper, or a Trainium that got dearer, did so as early as possible: on the day
    after the old price was last seen. The other two did so only when the new price was seen.
    """
    platform = platform_of(series.instance_type)
    announced = (
        platform in ANNOUNCED_PLATFORMS
        and series.purchase_option == "on_demand"
        and old.observed_on < ANNOUNCED_FROM <= new.observed_on <= ANNOUNCED_SEEN_BY
    )
    if announced:
        return ANNOUNCED_FROM
    cheaper = new.usd_per_hour < old.usd_per_hour
    trainium = platform.startswith("trn")
    return old.observed_on + timedelta(days=1) if cheaper != trainium else new.observed_on


def priced(series: Series, seen: list[Observation]) -> Iterator[Price]:
    """Yields one series' prices, each with the day it took effect."""
    effective = seen[0].observed_on
    yield Price(series, effective, seen[0])
    for old, new in pairwise(seen):
        if new.usd_per_hour != old.usd_per_hour:
            effective = effective_after_change(series, old, new)
        yield Price(series, effective, new)


def price_table(rows: Iterable[dict[str, str]], known_types: frozenset[str]) -> list[Price]:
    """Returns every price with the day it took effect, sorted by series and then by time."""
    by_series: defaultdict[Series, list[Observation]] = defaultdict(list)
    for series, seen in observations(rows, known_types):
        by_series[series].append(seen)
    return [
        price
        for series in sorted(by_series)
        for price in priced(series, one_a_day(by_series[series]))
    ]


def price_row(price: Price) -> dict[str, str]:
    """Returns a price as a row of `prices.csv`."""
    return {
        **price.series._asdict(),
        "usd_per_hour": str(price.seen.usd_per_hour),
        "effective_from": price.effective_from.isoformat(),
        "observed_on": price.seen.observed_on.isoformat(),
        "source": price.seen.source,
    }


def read(path: Path) -> list[dict[str, str]]:
    """Returns the rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: Path, columns: tuple[str, ...], rows: Iterable[dict[str, str]]) -> None:
    """Writes a CSV file with these columns and Unix line ends."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def make_seeds(source: Path, target: Path) -> None:
    """Writes `accelerators.csv` and `prices.csv` into a folder, from the public data of another."""
    processors = read(source / "instance_vcpus.csv")
    accelerators = list(catalogue(read(source / "accelerators.csv"), processors))
    write(target / "accelerators.csv", CATALOGUE_COLUMNS, accelerators)
    rows = read(source / "price_history.csv") + read(source / "prices_ec2_accelerators.csv")
    known_types = frozenset(row["instance_type"] for row in accelerators)
    write(target / "prices.csv", PRICE_COLUMNS, map(price_row, price_table(rows, known_types)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python data/make_seeds.py SOURCE_FOLDER")
    make_seeds(Path(sys.argv[1]), HERE)
