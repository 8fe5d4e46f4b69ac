"""METHOD §2.10: a machine that jobs share, divided to the cent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.engine.warehouse import connection
from tests.support.divided_machines import Case, Cases, Machines, at, held, line

D = Decimal
RATE = "21.50"
ACCOUNTS = ["1", "2", None]
WRITTEN = ["ml.trn1.32xlarge", "trn1.32xlarge"]
CLUSTERS = [("ca", "cb"), ("cb", "ca")]
BESIDE = [
    ({}, {"a": D(15), "b": D(30), "idle": D(15)}),
    ({"cpus": 16, "of_cpus": 64}, {"a": D(15), "b": D(15), "idle": D(30)}),
    (
        {"cpus": 16, "instance_type": "trn1.32xlarge"},  # has 128
        {"a": D(15), "b": D("7.5"), "idle": D("37.5")},
    ),
    (
        {"cpus": 16, "instance_type": "p6e-gb200.36xlarge"},  # of which no source says it
        {"a": D(15), "b": D(30), "idle": D(15)},
    ),
]
TAKEN = [
    ("01 11:00", "01 13:00", {"b": "-12"}),
    ("01 09:00", "01 12:00", {"a": "-6", "b": "-6"}),
    ("01 10:00", "02 11:00", {"a": "-3", "b": "-6", "c": "-3"}),
    ("01 14:00", "01 16:00", {"a": "-4", "b": "-8"}),  # no hour of the bill lies in it
]


@pytest.fixture(scope="module")
def divided(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cases]:
    """All cases, divided at once."""
    with connection.in_memory() as backend:
        yield Cases(Machines(backend, tmp_path_factory.mktemp("machines")), cases())


def cases() -> Iterator[tuple[Any, ...]]:
    """Functions that tell of lines and jobs, with what they are given."""
    yield from (
        (case,)
        for case in (
            an_hour, several_lines, taken_back, nobodys_taken_back, booting, a_shared_gap,
            a_gap_after_an_uncounted_job, a_gap_over_midnight, drained, without_counts,
            of_unknown_type, beside_a_job_of_none, a_day_of_none, a_bill_by_day, a_pool,
            a_pool_of_an_account, known_by_instance_for_a_day, unnamed_machines, never_held,
            sagemaker, an_unknown_job,
        )
    )  # fmt: skip
    yield from ((held_in_account, account) for account in ACCOUNTS)
    yield from ((hyperpod, instance_type) for instance_type in WRITTEN)
    yield from ((of_two_clusters, names, tagged) for names in CLUSTERS for tagged in (True, False))
    yield from ((of_two_clusters_on_a_day, names) for names in CLUSTERS)
    yield from ((beside_a_known_share, beside) for beside, _ in BESIDE)
    yield from ((some_hours_taken_back, since, until) for since, until, _ in TAKEN)


def an_hour() -> Case:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=8)
    jobs += held(at("01 10:00"), at("01 10:30"), run="b", accelerators=8)
    return [line(at("01 10:00"), 1, RATE)], jobs


def test_accelerators_held_divide_an_hour_and_the_rest_is_idle(divided: Cases) -> None:
    assert divided.costs(an_hour) == {"a": D("10.75"), "b": D("5.375"), "idle": D("5.375")}


def several_lines() -> Case:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=8)
    jobs += held(at("01 10:00"), at("01 10:30"), run="b", accelerators=8)
    paid = line(at("01 10:00"), "0.5", "10.75")
    planned = line(at("01 10:00"), "0.5", "7.00", commitment="sp", commitment_status="Used")
    free = line(at("01 10:00"), 0, "-1.00", category="Adjustment", sku="BoxUsage:trn1.32xlarge")
    return [paid, planned, free], jobs


def test_each_line_of_a_period_is_divided_in_one_proportion(divided: Cases) -> None:
    assert divided.costs(
        several_lines, "coalesce(run, holding)", "coalesce(commitment, category)"
    ) == {
        ("a", "Usage"): D("5.375"),
        ("b", "Usage"): D("2.6875"),
        ("idle", "Usage"): D("2.6875"),
        ("a", "sp"): D("3.5"),
        ("b", "sp"): D("1.75"),
        ("idle", "sp"): D("1.75"),
        ("a", "Adjustment"): D("-0.5"),
        ("b", "Adjustment"): D("-0.25"),
        ("idle", "Adjustment"): D("-0.25"),
    }


def taken_back() -> Case:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=12)
    back = line(at("01 10:00"), 0, "-4.00", corrects="i-1", used_from=at("01 10:00"))
    back |= {"class": "Correction", "named": True}
    return [line(at("01 10:00"), 1, "40.00"), back], jobs


def test_a_correction_of_a_machine_takes_back_from_those_who_held_it(divided: Cases) -> None:
    assert divided.costs(taken_back, "coalesce(run, holding)", "class", "corrects") == {
        ("a", None, None): D(30),
        ("idle", None, None): D(10),
        ("a", "Correction", None): D(-3),
        ("idle", "Correction", None): D(-1),
    }


HOUR = {"used_from": at("01 10:00"), "used_to": at("01 11:00")}


def nobodys_taken_back() -> Case:
    """That of a machine of nobody is still looked for, and a line of hours keeps its hour."""
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16)
    back = {"class": "Correction", "named": True, **HOUR}
    mine = line(at("01 10:00"), 0, "-4.00", corrects="i-1", **back)
    other = line(at("01 10:00"), 0, "-8.00", machine="i-2", corrects="i-2", **back)
    return [line(at("01 10:00"), 1, "40.00", **HOUR), mine, other], jobs


def test_only_a_correction_of_what_jobs_held_is_done_with(divided: Cases) -> None:
    found = divided.costs(
        nobodys_taken_back, "run", "effective_cost", "corrects", "used_from", "used_to"
    )
    assert {key[1]: key[2:] for key in found} == {
        40: (None, *HOUR.values()),
        -4: (None, None, None),
        -8: ("i-2", *HOUR.values()),
    }


def booting() -> Case:
    started = line(at("01 10:00"), "0.333333333", "7.166666667")
    stands = line(at("01 10:00"), 1, RATE, machine="i-2")
    jobs = held(at("01 10:45"), at("01 11:00"), run="a", accelerators=16)
    jobs += held(at("01 09:00"), at("01 10:30"), run="b", accelerators=16, resource="i-2")
    return [started, stands], jobs


def test_booting_and_the_minutes_after_a_job_are_the_jobs_own(divided: Cases) -> None:
    assert divided.costs(booting) == {"a": D("7.166666667"), "b": D("16.125"), "idle": D("5.375")}


def a_shared_gap() -> Case:
    jobs = held(at("01 10:00"), at("01 10:20"), run="a", accelerators=12)
    jobs += held(at("01 09:00"), at("01 10:20"), run="b", accelerators=4)
    jobs += held(at("01 10:30"), at("01 11:00"), run="c", accelerators=16)
    return [line(at("01 10:00"), 1, "60")], jobs


def test_a_gap_ends_where_the_next_job_begins_and_is_shared_by_jobs_that_end_together(
    divided: Cases,
) -> None:
    assert divided.costs(a_shared_gap) == {"a": D("22.5"), "b": D("7.5"), "c": D(30)}


def a_gap_after_an_uncounted_job() -> Case:
    jobs = held(at("01 10:00"), at("01 10:30"), run="a", accelerators=8)
    jobs += held(at("01 10:00"), at("01 10:30"), run="b")
    return [line(at("01 10:00"), 1, RATE)], jobs


def test_of_jobs_that_end_together_one_of_no_accelerators_takes_nothing_of_the_gap(
    divided: Cases,
) -> None:
    assert divided.costs(a_gap_after_an_uncounted_job) == {"a": D("10.75"), "idle": D("10.75")}


def held_in_account(account: str | None) -> Case:
    """No two accounts have an instance id; the bill's account is 1."""
    one = held(at("01 10:00"), at("01 11:00"), run="r", account=account)
    return [line(at("01 10:00"), 1, 100)], one


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_machine_is_known_by_its_id_whatever_account_a_job_names(
    divided: Cases,
    account: str | None,
) -> None:
    assert divided.costs((held_in_account, account)) == {"r": 100}


def a_gap_over_midnight() -> Case:
    jobs = held(at("01 22:00"), at("01 23:55"), run="a", accelerators=16)
    lines = [line(at("01 23:00"), 1, "60"), line(at("02 00:00"), 1, "60")]
    return lines, jobs


def test_a_gap_over_midnight_belongs_to_both_days(divided: Cases) -> None:
    assert divided.costs(a_gap_over_midnight, "date", "coalesce(run, holding)") == {
        (at("01 00:00").date(), "a"): D(60),
        (at("02 00:00").date(), "a"): D(10),
        (at("02 00:00").date(), "idle"): D(50),
    }


def drained() -> Case:
    jobs = held(at("01 10:00"), at("01 10:10"), run="a", accelerators=16)
    jobs += held(at("01 10:10"), at("01 10:40"), reason="drained", workload=None)
    return [line(at("01 10:00"), 1, "60")], jobs


def test_what_nobody_could_use_is_idle_for_that_reason(divided: Cases) -> None:
    assert divided.costs(drained) == {"a": D(10), "drained": D(30), "idle": D(20)}


def without_counts() -> Case:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a")
    jobs += held(at("01 10:30"), at("01 11:00"), run="b")
    jobs += held(at("01 10:00"), at("01 11:00"), run="c", resource="i-2", cpus=32, of_cpus=128)
    jobs += held(at("01 10:00"), at("01 11:00"), run="d", resource="i-2", cpus=64, of_cpus=128)
    jobs += held(at("01 10:00"), at("01 11:00"), run="e", resource="i-3", share=D("0.25"))
    lines = [line(at("01 10:00"), 1, "60", machine=f"i-{n}") for n in (1, 2, 3)]
    return lines, jobs


def test_without_counts_a_job_alone_holds_all_and_several_hold_equal_parts(divided: Cases) -> None:
    assert divided.costs(without_counts) == {
        "a": D(45),
        "b": D(15),
        "c": D(15),
        "d": D(30),
        "e": D(15),
        "idle": D(60),
    }


def of_unknown_type() -> Case:
    """Slurm knows the instance of a node and not its type: its counts are of the bill's type."""
    unknown = {"instance_type": None, "cpus": 32, "of_cpus": 128}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=4, **unknown)
    jobs += held(at("01 10:30"), at("01 11:00"), run="b", accelerators=8, **unknown)
    return [line(at("01 10:00"), 1, "64")], jobs


def test_a_machine_whose_type_no_scheduler_knows_has_that_of_the_bill(divided: Cases) -> None:
    assert divided.costs(of_unknown_type) == {"a": D(16), "b": D(16), "idle": D(32)}


def beside_a_job_of_none() -> Case:
    jobs = held(at("01 10:00"), at("01 10:30"), run="a", accelerators=16)
    jobs += held(at("01 10:00"), at("01 11:00"), run="cpu", accelerators=0)
    jobs += held(at("01 10:00"), at("01 11:00"), run="uncounted")
    return [line(at("01 10:00"), 1, "60")], jobs


def test_while_one_holds_accelerators_a_job_of_none_bears_nothing(divided: Cases) -> None:
    assert divided.costs(beside_a_job_of_none) == {"a": D(30), "uncounted": D(30)}


def a_day_of_none() -> Case:
    """A file of one's own takes back what it stated of a day by such a line."""
    nobody = held(at("01 00:00"), at("01 01:00"), run=None, accelerators=0, resource=None)
    return [line(at("01 10:00"), 1, "60", machine_cluster="hpc")], nobody


def test_a_day_of_no_accelerators_alone_says_that_its_machines_stood_idle(divided: Cases) -> None:
    assert divided.costs(a_day_of_none, "cluster", "holding") == {("hpc", "idle"): D(60)}


def a_bill_by_day() -> Case:
    """Six hours, and a quarter of an hour on either side."""
    day = line(at("01 00:00"), 10, "600", until=at("02 00:00"))
    jobs = held(at("01 10:00"), at("01 16:00"), run="a", accelerators=16)
    return [day], jobs


def test_a_bill_by_day_is_divided_by_the_day_and_says_so(divided: Cases) -> None:
    assert divided.costs(a_bill_by_day, "coalesce(run, holding)", "allocation_flags") == {
        ("a", "daily_allocation"): D(390),
        ("idle", "daily_allocation"): D(210),
    }


def hyperpod(instance_type: str) -> Case:
    about = {"resource": None, "node": "n1", "instance_type": instance_type}
    billed = {"machine": "", "machine_cluster": "hpc", "sku": "USE1-Cluster:ml.trn1.32xlarge"}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16, **about)
    return [line(at("01 10:00"), 2, "50.00", **billed)], jobs


@pytest.mark.parametrize("instance_type", WRITTEN)
def test_a_pool_of_hyperpod_is_held_whichever_way_its_type_is_written(
    divided: Cases,
    instance_type: str,
) -> None:
    assert divided.costs((hyperpod, instance_type)) == {"a": D(25), "idle": D(25)}


def a_pool() -> Case:
    loose = {"resource": None, "node": "n1"}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16, **loose)
    jobs += held(at("01 10:00"), at("01 10:30"), run="b", accelerators=16, resource=None, node="n2")
    mine = {"machine_cluster": "hpc"}
    lines = [line(at("01 10:00"), 1, "60", machine=f"i-{n}", **mine) for n in range(4)]
    lines.append(line(at("01 10:00"), 1, "7", machine="i-9", machine_cluster="other"))
    return lines, jobs


def test_jobs_known_by_pool_share_the_machines_of_the_clusters_tag(divided: Cases) -> None:
    assert divided.costs(a_pool) == {"a": D(60), "b": D(30), "idle": D(150), None: D(7)}


def a_pool_of_an_account() -> Case:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", account="1", accelerators=16)
    loose = {"resource": None, "accelerators": 8, "node": "n1", "account": "2"}
    jobs += held(at("02 10:00"), at("02 11:00"), run="b", **loose)
    lines = [
        line(at("01 10:00"), 1, "60"),
        line(at("02 10:00"), 1, "90", machine="i-2", account="2", machine_cluster="hpc"),
    ]
    return lines, jobs


def test_a_pool_of_an_account_has_its_machines_though_others_are_known_elsewhere(
    divided: Cases,
) -> None:
    assert divided.costs(a_pool_of_an_account) == {"a": D(60), "b": D(45), "idle": D(45)}


def known_by_instance_for_a_day() -> Case:
    """Of the days before and after it the scheduler knows the node by its type alone."""
    loose = {"resource": None, "node": "n1", "accelerators": 16}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", **loose)
    jobs += held(at("02 10:00"), at("02 11:00"), run="b", accelerators=8)
    jobs += held(at("03 10:00"), at("03 11:00"), run="c", **loose)
    return [line(at(f"0{n} 10:00"), 1, "60", machine_cluster="hpc") for n in (1, 2, 3)], jobs


def test_a_machine_is_of_the_pool_on_days_beside_those_on_which_it_is_named(
    divided: Cases,
) -> None:
    costs = {"a": D(60), "b": D(30), "idle": D(30), "c": D(60)}
    assert divided.costs(known_by_instance_for_a_day) == costs


def unnamed_machines() -> Case:
    """A job of two machines, one of which the bill names; and of a day on which it names both."""
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16, resource="i-1")
    jobs += held(at("01 10:00"), at("01 11:00"), run="a", accelerators=8, resource="i-2")
    jobs += held(
        at("01 10:00"), at("01 10:30"), run="b", resource="i-3", instance_type="ml.trn1.32xlarge"
    )
    jobs += held(at("02 10:00"), at("02 11:00"), run="c", accelerators=16, resource="i-2")
    ran = {"machine_cluster": "hpc", "machine": ""}
    lines = [
        line(at("01 10:00"), 1, "50"),
        line(at("01 10:00"), 2, "120", **ran),
        line(at("01 10:00"), 1, "7", machine="", machine_cluster="other"),
        line(at("02 10:00"), 1, "60", machine="i-2"),
    ]
    return lines, jobs


def test_where_the_bill_names_no_machine_jobs_on_machines_share_the_pool(divided: Cases) -> None:
    expected = {"a": D(80), "b": D(30), "c": D(60), "idle": D(60), None: D(7)}
    assert divided.costs(unnamed_machines) == expected


def never_held() -> Case:
    jobs = held(at("03 10:00"), at("03 11:00"), run="a", accelerators=16)
    lines = [
        line(at("01 10:00"), 1, "60"),
        line(at("01 10:00"), 1, "60", machine="i-2", machine_cluster="hpc"),
        line(at("01 10:00"), 1, "60", machine="i-3", workload="other"),
    ]
    return lines, jobs


def test_a_tagged_machine_that_no_job_ever_held_is_idle_of_its_cluster(divided: Cases) -> None:
    assert divided.costs(never_held, "cluster", "holding", "workload") == {
        ("hpc", "idle", None): D(120),
        (None, None, "other"): D(60),
    }


def sagemaker() -> Case:
    arn = "arn:aws:sagemaker:us-east-1:1:training-job/j1"
    jobs = held(at("01 10:00"), at("01 10:20"), run="a", share=D(1), resource=arn)
    billed = line(at("01 10:00"), 1, "60", machine=arn, sku="Train:ml.trn1.32xlarge")
    late = line(at("02 10:00"), 1, "60", machine=arn, sku="Train:ml.trn1.32xlarge")
    return [billed, late], jobs


def test_the_line_of_a_sagemaker_job_is_that_jobs_whole(divided: Cases) -> None:
    assert divided.costs(sagemaker, "run", "date") == {
        ("a", at("01 00:00").date()): D(60),
        ("a", at("02 00:00").date()): D(60),
    }


def of_two_clusters(names: tuple[str, str], tagged: bool) -> Case:
    """A job of one holds half of it on the first day, one of the other on the third."""
    first, last = names
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", cluster=first, accelerators=8)
    jobs += held(at("03 10:00"), at("03 11:00"), run="b", cluster=last, accelerators=8)
    tags = (first, first, last) if tagged else (None, None, None)
    lines = [
        line(at(f"0{n} 10:00"), 1, "60", machine_cluster=tag) for n, tag in enumerate(tags, start=1)
    ]
    return lines, jobs


@pytest.mark.parametrize("names", CLUSTERS)
@pytest.mark.parametrize("tagged", [True, False])
def test_a_machine_is_each_days_own_clusters(
    divided: Cases,
    names: tuple[str, str],
    tagged: bool,
) -> None:
    first, last = names
    columns = ("date", "cluster", "coalesce(run, holding)")
    assert divided.costs((of_two_clusters, names, tagged), *columns) == {
        (date(2025, 9, 1), first, "a"): D(30), (date(2025, 9, 1), first, "idle"): D(30),
        (date(2025, 9, 2), first, "idle"): D(60),
        (date(2025, 9, 3), last, "b"): D(30), (date(2025, 9, 3), last, "idle"): D(30),
    }  # fmt: skip


def of_two_clusters_on_a_day(names: tuple[str, str]) -> Case:
    """A job of each holds half of it for an hour; its tag names the first."""
    first, last = names
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", cluster=first, accelerators=8)
    jobs += held(at("01 11:00"), at("01 12:00"), run="b", cluster=last, accelerators=8)
    hours = (at("01 10:00"), at("01 11:00"))
    return [line(hour, 1, "60", machine_cluster=first) for hour in hours], jobs


@pytest.mark.parametrize("names", CLUSTERS)
def test_what_two_clusters_left_idle_on_a_day_is_of_the_cluster_of_the_machines_tag(
    divided: Cases, names: tuple[str, str]
) -> None:
    first, last = names
    columns = ("cluster", "coalesce(run, holding)")
    assert divided.costs((of_two_clusters_on_a_day, names), *columns) == {
        (first, "a"): D(30), (last, "b"): D(30), (first, "idle"): D(60),
    }  # fmt: skip


def beside_a_known_share(beside: dict[str, int | str]) -> Case:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", share=D("0.25"))
    jobs += held(at("01 10:00"), at("01 11:00"), run="b", **beside)
    return [line(at("01 10:00"), 1, "60")], jobs


@pytest.mark.parametrize(
    ("beside", "costs"),
    BESIDE,
)
def test_a_job_that_nobody_counted_holds_its_part_beside_one_of_a_known_share(
    divided: Cases,
    beside: dict[str, int | str],
    costs: dict[str, Decimal],
) -> None:
    assert divided.costs((beside_a_known_share, beside)) == costs


def an_unknown_job() -> Case:
    jobs = held(at("01 10:00"), at("01 11:00"), accelerators=16, workload=None)
    return [line(at("01 10:00"), 1, "60", workload="tagged")], jobs


def test_what_an_unknown_job_held_is_nobodys_and_not_idle(divided: Cases) -> None:
    assert divided.costs(an_unknown_job, "holding", "workload", "run") == {
        ("unknown", None, None): D(60)
    }


def some_hours_taken_back(since: str, until: str) -> Case:
    """Run a holds the machine from 10:00 to 11:00, b the next two hours; c on the day after."""
    times = ("01 10:00", "01 11:00", "01 12:00", "02 10:00")
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16)
    jobs += held(at("01 11:00"), at("01 13:00"), run="b", accelerators=16)
    jobs += held(at("02 10:00"), at("02 11:00"), run="c", accelerators=16)
    back = line(at(since), 0, "-12", until=at(until), quantity=None, **{"class": "Correction"})
    return [*(line(at(time), 1, "60") for time in times), back], jobs


@pytest.mark.parametrize(
    ("since", "until", "taken"),
    TAKEN,
)
def test_a_correction_of_some_hours_is_divided_by_those_hours(
    divided: Cases,
    since: str,
    until: str,
    taken: dict[str, str],
) -> None:
    costs = divided.costs((some_hours_taken_back, since, until), "run", "effective_cost < 0")
    found = {run: cost for (run, back), cost in costs.items() if back}
    assert found == {run: D(cost) for run, cost in taken.items()}
