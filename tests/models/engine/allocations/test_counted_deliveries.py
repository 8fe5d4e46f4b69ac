"""Which delivery of allocations counts for a cluster and a day."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from models.engine.allocations.counted_deliveries import cluster_of, counted_deliveries
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key


def delivery(source: str, form: str, day: str, hour: int) -> Delivery:
    at = datetime(2026, 9, 3, hour, tzinfo=UTC)
    return Delivery(Key(source, "hpc", day), f"{source}-{hour}", form, at, ())


def test_a_statement_wins_over_a_reader_and_of_two_readers_the_newer() -> None:
    stated = delivery("ours", "allocations", "2026-09-01", 1)
    read = delivery("slurm", "observed_allocations", "2026-09-01", 2)
    older = delivery("slurm", "observed_allocations", "2026-09-02", 3)
    newer = delivery("hyperpod", "observed_allocations", "2026-09-02", 4)
    progress = delivery("epochs", "progress", "2026-09-02", 5)
    assert counted_deliveries([newer, older, read, stated, progress]) == [stated, newer]


def test_clusters_of_one_name_in_two_accounts_are_two_and_a_statement_is_about_both() -> None:
    observed = "observed_allocations"
    here, there = (
        delivery(f"{account}/hpc", observed, "2026-09-01", 2)
        for account in ("999900000001", "999900000002")
    )
    units = [replace(each, key=replace(each.key, unit=each.key.source)) for each in (here, there)]
    assert counted_deliveries(units) == units
    assert {cluster_of(each) for each in units} == {"hpc"}
    stated = delivery("ours", "allocations", "2026-09-01", 1)
    assert counted_deliveries([*units, stated]) == [stated]


def in_account(each: Delivery, account: str) -> Delivery:
    return replace(each, key=replace(each.key, unit=f"{account}/hpc"))


def test_a_statement_about_one_account_leaves_the_cluster_of_the_other() -> None:
    read = delivery("slurm", "observed_allocations", "2026-09-01", 2)
    here, there = in_account(read, "999900000001"), in_account(read, "999900000002")
    stated = in_account(delivery("ours", "allocations", "2026-09-01", 1), "999900000001")
    assert counted_deliveries([here, there, stated]) == [stated, there]
    assert counted_deliveries([read, stated]) == [stated]


def test_of_statements_the_newest_says_whether_an_account_is_named() -> None:
    vague = delivery("ours", "allocations", "2026-09-01", 1)
    named = in_account(delivery("ours", "allocations", "2026-09-01", 2), "999900000001")
    other = in_account(delivery("ours", "allocations", "2026-09-01", 2), "999900000002")
    last = delivery("ours", "allocations", "2026-09-01", 3)
    assert counted_deliveries([vague, named, other]) == [named, other]
    assert counted_deliveries([vague, named, other, last]) == [last]


def test_a_day_delivered_again_with_its_account_counts_once() -> None:
    read = delivery("slurm", "observed_allocations", "2026-09-01", 2)
    other = delivery("pods", "observed_allocations", "2026-09-01", 1)
    again = in_account(delivery("slurm", "observed_allocations", "2026-09-01", 3), "999900000001")
    assert counted_deliveries([read, again]) == [again]
    assert counted_deliveries([other, again]) == [again, other]
