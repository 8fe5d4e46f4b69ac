"""What refunds that name no run take back, told as one story; each case has its own names.

Of 'r11' the letter tells the workload and the number the account.
"""

from __future__ import annotations

from tests.support.bills.refunded_bills import ACCOUNT, OTHER, Line, hours, owner, refund

DAY, NEXT = "2025-09-04T00:00", "2025-09-05T00:00"
WORKLOADS = {"r": "rigel", "b": "borax", "c": "cedar", "d": "delta"}
FEE = "ComputeSP:1yrNoUpfront"


def account(number: int) -> dict[str, str]:
    return {"account": f"9999000001{number:02}"}


def held(name: str) -> dict[str, str]:
    return {"reserved": f"arn:aws:ec2:us-west-2:{ACCOUNT}:capacity-reservation/cr-{name}"}


def plan(name: str) -> dict[str, str]:
    return {"plan": f"arn:aws:savingsplans::{ACCOUNT}:savingsplan/{name}"}


def instances(name: str) -> dict[str, str]:
    return {"instances": f"arn:aws:ec2:us-west-2:{ACCOUNT}:reserved-instances/{name}"}


def used(run: str, count: int, at: int | None = None, start: str = DAY, **said: object) -> Line:
    """Hours of a run, which is its workload's by its first letter, in an account of its own."""
    whose = owner(run, WORKLOADS[run[0]]) if run else {}
    place = account(at or int(run[1:]))
    return hours(start, count, None, **{"tags": whose, **place, **said})


def back(count: int, at: int, start: str = DAY, **said: object) -> Line:
    """A refund of hours, billed a month later; it lasts a day."""
    told = {"lasts": 24, "billed": "2025-10", **account(at)}
    return refund(start, count, None, **{**told, **said})


PAYER = "999900000201"
RESOURCES = [
    hours("2025-09-02T00:00", 10, "i-1", tags=owner("t1", team="blue")),
    refund("2025-09-02T03:00", 2, "i-1"),
    hours("2025-09-03T00:00", 5, "i-2", tags=owner("t2")),
    refund("2025-09-03T00:00", 1, "i-2", billed="2025-10"),
    refund("2025-09-03T00:00", 1, "i-2", billed="2025-10", account=OTHER),
    # two runs in a day: of an hour one is known, of the day their workload
    hours("2025-09-04T00:00", 5, "i-3", tags=owner("t3")),
    hours("2025-09-04T05:00", 4, "i-3", tags=owner("t4")),
    refund("2025-09-04T00:00", 1, "i-3"),
    refund("2025-09-04T00:00", 3, "i-3", lasts=24),
    # two workloads': nobody knows whose
    hours("2025-09-06T00:00", 4, "i-6", tags=owner("t6")),
    hours("2025-09-06T04:00", 4, "i-6", tags=owner("b6", "borea")),
    refund("2025-09-06T00:00", 1, "i-6", lasts=24),
    # the same run's, whose team changed; what another SKU's charges say does not matter
    hours("2025-09-07T00:00", 4, "i-7", tags=owner("t7", team="blue")),
    hours("2025-09-07T04:00", 4, "i-7", tags=owner("t7", team="red")),
    {**hours("2025-09-07T00:00", 2, "i-7"), "type": "m5.large"},
    refund("2025-09-07T00:00", 3, "i-7", lasts=24),
    # nobody's, and nobody knows which
    hours("2025-09-05T00:00", 3, "i-4"),
    refund("2025-09-05T00:00", 1, "i-4"),
    refund("2025-09-05T00:00", 1, "i-9"),
    # of the whole month, for an hour of its tenth day
    hours("2025-09-10T07:00", 3, "i-5", tags=owner("t5")),
    refund("2025-09-01T00:00", 1, "i-5", lasts=30 * 24),
    # what a refund says itself stands, and is not contradicted
    refund("2025-09-10T07:00", 1, "i-5", tags={"workload": "atlas-7b"}),
    refund("2025-09-10T07:00", 1, "i-5", tags=owner("t2")),
    refund("2025-09-10T07:00", 1, "i-5", tags={"workload": "borea"}),
    {**hours("2025-10-30T00:00", 1, "i-8"), "hours": 0},
]  # fmt: skip
"""Those that name a resource; all is paid by `PAYER`."""
NAMED = [
    # a reservation's are the run's that it held, whatever else ran
    used("r11", 5, **held("11")),
    used("b11", 3, 11),
    back(2, 11, **held("11")),
    # two workloads' under one reservation
    used("r12", 4, **held("12")),
    used("b12", 4, **held("12")),
    back(1, 12, **held("12")),
    # only one run used this type then, in this account
    used("r14", 5),
    used("r14", 2, 14, start="2025-09-08T00:00", type="trn1.2xlarge"),
    used("", 0, 14),
    back(2, 14),
    # a workload's two runs; two workloads'; a run's and nobody's
    used("c15", 3),
    used("c51", 6, 15),
    back(3, 15),
    used("r16", 5),
    used("b16", 1),
    back(1, 16),
    used("r17", 4),
    used("", 2, 17),
    back(1, 17),
    # another region, another day, another account, another resource
    used("r18", 4),
    back(1, 18, region="us-east-2"),
    used("r19", 4),
    back(1, 19, start=NEXT),
    used("r20", 4),
    back(1, 21),
    used("r22", 4, on="i-22"),
    back(1, 22, on="i-99"),
    # on the payer's own account: of any that it pays for
    used("r23", 4, type="trn1.2xlarge"),
    back(1, 0, account=ACCOUNT, type="trn1.2xlarge"),
    used("r24", 4, type="trn1n.32xlarge"),
    used("b24", 4, type="trn1n.32xlarge"),
    back(1, 0, account=ACCOUNT, type="trn1n.32xlarge"),
    used("r25", 4, on="i-25"),
    back(1, 0, account=ACCOUNT, on="i-25"),
    used("r29", 4, type="trn2.48xlarge"),
    back(1, 0, account=OTHER, payer=OTHER, type="trn2.48xlarge"),
    # what another month's bill tells of that day
    used("r30", 4),
    used("b30", 1, billed="2025-10"),
    back(1, 30),
    # charged back again
    used("r28", 4),
    back(2, 28, billed="2025-09"),
    back(-1, 28, billed="2025-09", lasts=1, corrects=True),
    # tags that came a day late
    used("", 2, 26, on="i-26"),
    used("r26", 4, start=NEXT, on="i-26"),
    back(1, 26, on="i-26", lasts=48),
    # a month's, of the workload that it names
    used("r27", 4),
    used("b27", 4),
    back(1, 27, start="2025-09-01T00:00", lasts=30 * 24, tags={"workload": "rigel"}),
    # an adjustment that bears no class
    used("r38", 4, on="i-38"),
    back(1, 38, on="i-38", role="adjusted"),
    used("r39", 4),
    back(1, 39, role="adjusted"),
    # a month's, of two runs of a workload on two days
    used("d61", 6, 40),
    used("d62", 2, 40, start=NEXT),
    back(4, 40, start="2025-09-01T00:00", lasts=30 * 24),
    used("d63", 3, 41, start="2025-09-06T00:00", on="i-41", role="negated"),
    used("d63", 0, 41, start="2025-09-06T00:00", on="i-41", role="negation", lasts=3),
    used("d64", 1, 41, start="2025-09-07T00:00", on="i-41"),
    back(2, 41, start="2025-09-01T00:00", lasts=30 * 24, on="i-41"),
    {**hours("2025-10-30T00:00", 1, None), "hours": 0},
]  # fmt: skip
"""Those that name something else."""
BOUGHT = [
    # hours that a plan covered, beside others of their kind
    used("r31", 10, role="covered", **plan("31")),
    used("b31", 5, 31),
    used("", 1, 31, role="tax", **plan("31")),
    back(2, 31, **plan("31")),
    used("r32", 4, role="covered", **instances("32")),
    used("b32", 5, 32),
    back(1, 32, **instances("32")),
    # a fee; what was unused; what may be a fee
    used("", 50, 31, role="fee", kind=FEE, **plan("31")),
    back(3, 31, kind=FEE, **plan("31")),
    used("", 40, 33, role="unused", kind=FEE, **plan("33")),
    back(4, 33, kind=FEE, **plan("33")),
    used("r34", 4, role="covered", **plan("34")),
    back(1, 34, kind="", **plan("34")),
    # a reservation's used hours; of no type: all of it one run's, or some of it nobody's
    used("r35", 4, **held("35")),
    back(1, 35, kind="", **held("35")),
    used("r36", 4, held="Used", **held("36")),
    used("", 2, 36, held="Unused", kind="UnusedBox:trn1.32xlarge", **held("36")),
    back(1, 36, kind="", **held("36")),
    used("r37", 4, held="Used", **held("37")),
    used("", 2, 37, held="Unused", kind="UnusedBox:trn1.32xlarge", **held("37")),
    back(1, 37, **held("37")),
]  # fmt: skip


"""In accounts of their own, 131 to 137."""


def paid(line: Line) -> Line:
    """A line of `RESOURCES`, on the bill of `PAYER`."""
    return {**line, "payer": PAYER, "account": {ACCOUNT: PAYER}.get(line["account"], OTHER)}


STORY = [*map(paid, RESOURCES), *NAMED, *BOUGHT]
BY_RESOURCE = f"billing_account = '{PAYER}'"
PURCHASED = "account BETWEEN '999900000131' AND '999900000137'"
BY_NAME = f"NOT ({BY_RESOURCE} OR {PURCHASED})"
