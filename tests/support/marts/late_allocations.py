"""A company of which schedulers told late, in part or nothing on some days.

Each case has a cluster, workloads and accounts of its own.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from models.config.settings import Settings
from tests.support.delivered_allocations import deliver, held
from tests.support.world import World

START = datetime(2025, 9, 1)  # noqa: DTZ001 - UTC
DAYS = 10
TRN1 = "trn1.32xlarge"
FIRST_TO_TENTH = ("2025-09-01", "2025-09-11")
ACCOUNTS = {"main": 1, "partly": 2, "stated": 3, "own": 4, "later": 5, "podded": 6, "back": 7,
            "beside": 8, "first silent": 11, "first told": 12, "second told": 21,
            "second silent": 22}  # fmt: skip


class Company:
    """A bill, and what schedulers told of it."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        self.told: list[tuple[list[dict[str, Any]], dict[str, Any]]] = []

    def hours(
        self, case: str, since: datetime, count: int, tags: dict[str, str], **more: object
    ) -> None:
        """Hours of the machine of a case at $20, one after the other."""
        about = {"ResourceId": f"i-{case}", "SubAccountId": account(case)}
        for number in range(count):
            hour = (since + timedelta(hours=number)).isoformat()
            self.world.hours(hour, 1, TRN1, 20, tags, **about)

    def back(self, case: str, day: str, until: str) -> None:
        """$48 that a later bill takes back of the machine of a case."""
        self.world.charge(
            f"2025-09-{day}T00:00:00", -48, ConsumedQuantity=0, ResourceId=f"i-{case}",
            SubAccountId=account(case), x_UsageType=f"BoxUsage:{TRN1}", ChargeClass="Correction",
            BillingPeriodStart="2025-10-01", ChargePeriodEnd=f"2025-09-{until}T00:00:00",
        )  # fmt: skip

    def job(
        self, case: str, days: tuple[str, str | None], said: dict[str, Any] | None = None,
        missing: Collection[str] = (), **how: Any,  # noqa: ANN401 - as `deliver` has it
    ) -> None:  # fmt: skip
        """All of the machine of a case for whole days, by run `t` of a workload of its name."""
        since, until = (day and f"{day}T00:00:00" for day in days)
        about = {"cluster": case, "resource": f"i-{case}", "workload": case, "run": f"t {case}"}
        about |= {"accelerators": 16, "job": "j"}
        job = held(str(since), until, **about | (said or {}))
        self.told.append(([job], {"missing": missing, **how}))


def account(case: str) -> str:
    return f"9999000000{ACCOUNTS[case]:02}"


def main(company: Company) -> None:
    """One job holds the node all the time; of two days nothing is delivered.

    Beside it is a run of another workload with a tag of its own.
    """
    company.hours("main", START, DAYS * 24, {})
    company.world.hours("2025-09-05", 1, TRN1, 20, {"workload": "other", "run": "o"})
    company.job("main", FIRST_TO_TENTH, missing=("2025-09-04", "2025-09-10"))


def seen_in_part(company: Company) -> None:
    """Of both clusters a source saw one day in part only; of one a file states it."""
    for case in ("partly", "stated"):
        company.hours(case, START, DAYS * 24, {})
        company.job(case, FIRST_TO_TENTH)
        seen = {"observed_at": "2025-09-04T11:00:00Z"}
        company.job(case, ("2025-09-04", "2025-09-05"), seen)
    day = ("2025-09-04", "2025-09-05")
    company.job("stated", day, source="mended", form="allocations")


def tagged(company: Company) -> None:
    """Machines bear a workload's tag, and jobs hold them from the fifth on; `later`'s own.

    Of the eighth no scheduler told of `own`.
    """
    cluster = {"parallelcluster:cluster-name": "own"}
    company.hours("own", START, DAYS * 24, {"workload": "tag of own"} | cluster)
    company.job("own", ("2025-09-05", "2025-09-11"), missing=("2025-09-08",))
    cluster = {"parallelcluster:cluster-name": "later"}
    for day in range(10):
        at = START + timedelta(days=day, hours=10)
        company.hours("later", at, 1, {"workload": "later"} | cluster)
    company.job("later", ("2025-09-05", "2025-09-11"))


def silent(company: Company, *cases: str) -> None:
    """Two accounts with a cluster of one name, `twin`: jobs held its pools on the first day.

    On the second one account tells that nothing was held, of the other nothing is told.
    """
    (pair, _) = cases[0].split()
    for case in cases:
        tags = {"parallelcluster:cluster-name": f"twin {pair}", "workload": f"tag of {case}"}
        for day in (1, 2):
            hour = f"2025-09-0{day}T10:00:00"
            about = {"ResourceId": f"i-{case}", "SubAccountId": account(case)}
            company.world.hours(hour, 1, TRN1, 60, tags, **about)
        job = held(
            "2025-09-01T10:00:00", "2025-09-01T11:00:00", cluster=f"twin {pair}", resource=None,
            pool=TRN1, node="n1", accelerators=16, run=case, job=case, workload="w",
        )  # fmt: skip
        empty = [(f"twin {pair}", "2025-09-02")] if case.endswith("told") else []
        company.told.append(([job], {"place": f"{account(case)}/", "empty": empty}))


def pods(company: Company) -> None:
    """The export had split cost on the first day alone; no scheduler tells of the cluster."""
    for day in (0, 1):
        at = START + timedelta(days=day, hours=10)
        company.hours("podded", at, 1, {"aws:eks:cluster-name": "prod"})
    for kind, hours in (("vCPU", 8), ("Neuron", 8)):
        company.world.charge(
            "2025-09-01T10:00:00", 0, x_UsageType=f"USE1-EKS-EC2-{kind}-Hours",
            ResourceId=f"arn:aws:eks:us-east-1:{account('podded')}:pod/prod/ml/train/1",
            ConsumedQuantity=hours, x_ParentResourceId="i-podded", x_SplitCost=1,
            tags={"workload": "podded", "run": "p"}, SubAccountId=account("podded"),
        )  # fmt: skip


def corrected(company: Company) -> None:
    """Of two days `back` bore a run's tag on the first; jobs are told from the second on.

    The job of `beside` was last seen at noon of the 23rd, so that half of that day is its own.
    """
    company.hours("back", START, 24, {"workload": "back", "run": "g"})
    company.hours("back", START + timedelta(days=1), 24, {})
    company.back("back", "01", until="03")
    company.job("back", ("2025-09-02", "2025-09-03"))
    company.hours("beside", START + timedelta(days=20), 72, {})
    company.back("beside", "23", until="24")
    company.job("beside", ("2025-09-21", None), {"observed_at": "2025-09-23T12:00:00Z"})


def delivered(folder: Path) -> Settings:
    """All cases, where jobs have no part of the minutes beside them."""
    company = Company(folder)
    for case in (main, seen_in_part, tagged, pods, corrected):
        case(company)
    silent(company, "first silent", "first told")
    silent(company, "second told", "second silent")
    company.world.charge("2025-10-30T00:00:00", 0, x_UsageType="Requests-Tier1")
    settings = company.world.pulled(clusters={"gap_minutes": 0})
    for jobs, how in company.told:
        deliver(settings.data, jobs, **how)
    return settings
