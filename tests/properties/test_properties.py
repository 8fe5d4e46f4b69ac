"""What must hold of any bill: drawn companies, several variants of each in one set of marts.

A variant is a workload of its own (and a region of its own where prices differ), and so is each
drawn example, so that one derivation of the marts answers for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.support.properties.bills import BLOCK, PAYER, bills, of_company
from tests.support.properties.drawn import Run, Workload, at, companies, cut, in_tokens, line, tuned
from tests.support.properties.examples import examples
from tests.support.properties.memory import Memory

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),
]
NEAR = Decimal("1e-6")
SCALE = 3
BILLS = 6
FLOWS = (
    "trn_cost", "epochs", "credited_epochs", "counterfactual", "gross_saving", "overhead",
    "net_saving", "saving_at_list", "cumulative_net",
)  # fmt: skip
DOLLARS = [name for name in FLOWS if "epochs" not in name]
VARIANTS = {"gpu split": 1, "trn split": 1, "scaled": SCALE, "creditless": 1}
"""What changes nothing, or every dollar by a factor."""
GOOD, WORSE = 1.4, (float("nan"), 1.6)
"""Losses: as good as any that is drawn; of a run that diverged, and as bad as any."""
PER_TOKEN = ("two", "three")
"""The first words of the names of workloads whose other recipe counts tokens."""
Flows = dict[date, dict[str, Any]]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """One database for all examples."""
    return Memory(tmp_path_factory.mktemp("memory"))


def derived(memory: Memory, variants: Sequence[Workload], order: Random | None = None) -> None:
    """All variants, and a plain line to the last day, so that everything is settled."""
    regions = {variant.region: variant for variant in variants}
    rows = (
        [*(row for each in variants for row in each.charges()), line(at(12, 31), Decimal(1))],
        [row for each in variants for row in each.samples()],
        [row for each in regions.values() for row in each.prices()],
    )
    for each in rows if order else ():
        order.shuffle(each)
    memory.derive(*rows)


def flows(memory: Memory, workload: str) -> Flows:
    """Its days on which Trainium did or cost something."""
    named = ", ".join(FLOWS)
    rows = memory.rows(
        f"SELECT date, {named} FROM savings_daily WHERE workload = '{workload}' AND settled "
        "AND (trn_cost <> 0 OR epochs <> 0 OR overhead <> 0)"
    )
    return {row.pop("date"): row for row in rows}


def apart(ours: Any, theirs: Any) -> bool:  # noqa: ANN401 - cells of a mart
    """Not the same number to a millionth, or only one of them known."""
    if ours is None or theirs is None:
        return ours is not theirs
    return abs(ours - theirs) > NEAR * max(1, abs(ours) / 10**6)


def differences(ours: Flows, theirs: Flows, scale: int = 1) -> Iterator[tuple[Any, ...]]:
    """Days and flows in which `theirs` is not `scale` times `ours`; epochs do not scale."""
    yield from ((day, "one has no such day") for day in ours.keys() ^ theirs.keys())
    for day in ours.keys() & theirs.keys():
        for name in FLOWS:
            mine, factor = ours[day][name], scale if name in DOLLARS else 1
            if apart(mine and mine * factor, theirs[day][name]):
                yield day, name, mine, theirs[day][name]


def headline(memory: Memory, workload: str) -> Decimal:
    """What the workload is said to have saved, net."""
    standing = f"SELECT cumulative_net_saving AS net FROM break_even WHERE workload = '{workload}'"
    net = memory.row(standing)["net"]
    assert isinstance(net, Decimal)
    return net


def cuttable(drawn: Workload, which: int) -> Iterator[tuple[str, Run]]:
    """A run of each side."""
    for side in ("gpu", "trn"):
        runs = [run for run in drawn.runs if run.trainium == (side == "trn")]
        yield side, runs[which % len(runs)]


def restarted(drawn: Workload, which: int) -> Iterator[Workload]:
    """A Trainium run as a lineage of two that gets worse, and with either's losses dropped."""
    runs = [run for run in drawn.runs if run.trainium]
    parts = cut(runs[which % len(runs)])
    losses = (GOOD, WORSE[which % len(WORSE)])
    begin, rest = (replace(run, loss=loss) for run, loss in zip(parts, losses, strict=True))
    for name, *told in (
        ("restarted", begin, rest),
        ("mute begin", replace(begin, loss=None), rest),
        ("mute rest", begin, replace(rest, loss=None)),
    ):
        yield drawn.with_run(*told, name=f"{drawn.name} {name}")


def in_two_recipes(bare: Workload, which: int) -> Iterator[Workload]:
    """Every run in another recipe, too; that recipe alone; and a Trainium run's tag lost.

    The other recipe may compare by its tokens alone, which changes nothing.
    """
    further = tuple(tuned(run) for run in bare.runs)
    name = bare.name.removesuffix(" bare")
    told = tuple(in_tokens(run) for run in further) if name.startswith(PER_TOKEN) else further
    both = replace(bare, name=f"{name} both", runs=bare.runs + told)
    yield both
    yield replace(bare, name=f"{name} tuned", runs=further)
    trn = [run for run in both.runs if run.trainium]
    lost = replace(trn[which % len(trn)], tagged=False)
    yield both.with_run(lost, name=f"{name} both loose")


def variants(drawn: Workload, which: int) -> Iterator[Workload]:
    """The workload, and what was done to it."""
    name = drawn.name
    yield drawn
    for side, run in cuttable(drawn, which):
        yield drawn.with_run(*cut(run), name=f"{name} {side} split")
    yield replace(drawn, name=f"{name} scaled", scale=SCALE)
    yield replace(drawn, name=f"{name} creditless", credits=())
    trn = sorted((run for run in drawn.runs if run.trainium), key=lambda run: run.start)
    yield drawn.with_run(replace(trn[which % len(trn)], loss=None), name=f"{name} mute")
    # not the first: the month's storage before it would no longer be shared by any run
    later = trn[1:][which % len(trn[1:])]
    yield drawn.with_run(replace(later, tagged=False), name=f"{name} loose")
    bare = replace(drawn, name=f"{name} bare", storage=())
    yield bare
    yield bare.with_run(replace(trn[0], tagged=False), name=f"{name} late")
    yield from restarted(drawn, which)
    yield from in_two_recipes(bare, which)


def several(count: int) -> Iterator[tuple[Workload, int]]:
    """The workloads of `count` companies, named apart; of each, which run is changed."""
    drawn = examples(st.tuples(companies, st.integers(0, 100)), count)
    for number, (company, which) in enumerate(drawn):
        yield from ((replace(each, name=f"{each.name} {number}"), which) for each in company)


def test_what_changes_nothing_and_what_never_helps(memory: Memory) -> None:
    drawn = [*several(5)]
    derived(memory, [variant for each, which in drawn for variant in variants(each, which)])
    for workload, which in drawn:
        name = workload.name
        plain = flows(memory, name)
        assert len(plain) >= 2
        for other, scale in VARIANTS.items():
            theirs = flows(memory, f"{name} {other}")
            assert [(other, *off) for off in differences(plain, theirs, scale)] == []
        assert headline(memory, f"{name} mute") <= headline(memory, name) + NEAR
        for mute in ("mute begin", "mute rest"):
            told = headline(memory, f"{name} restarted") + NEAR
            assert headline(memory, f"{name} {mute}") <= told
        assert headline(memory, f"{name} loose") <= headline(memory, name) + NEAR
        assert headline(memory, f"{name} late") <= headline(memory, f"{name} bare") + NEAR
        each = sum(headline(memory, f"{name} {alone}") for alone in ("bare", "tuned"))
        assert not apart(headline(memory, f"{name} both"), each)
        assert headline(memory, f"{name} both loose") <= each + NEAR
        for side, run in cuttable(workload, which):
            _split_costs_the_same(memory, name, side, run.name)
        _credits_are_no_price(memory, name)


def _split_costs_the_same(memory: Memory, workload: str, side: str, run: str) -> None:
    """A run in two parts costs and does what it did in one."""
    whole, parts = (
        memory.row(
            f"""SELECT sum(cost) AS cost, sum(epochs) AS epochs, count(*) AS runs,
                sum(repeated_epochs) AS again FROM runs
            WHERE workload = '{name}' AND lineage = '{name}/{run}'"""
        )
        for name in (workload, f"{workload} {side} split")
    )
    assert (whole["runs"], parts["runs"]) == (1, 2)
    assert whole["again"] == parts["again"] == 0
    assert not apart(whole["cost"], parts["cost"])
    assert not apart(whole["epochs"], parts["epochs"])


def _credits_are_no_price(memory: Memory, workload: str) -> None:
    """Cost per epoch is the same without credits."""
    ours, theirs = (
        memory.rows(
            f"""SELECT period, period_start, hardware, cost, epochs, cost_per_epoch
            FROM cost_per_epoch WHERE workload = '{name}' ORDER BY ALL"""
        )
        for name in (workload, f"{workload} creditless")
    )
    assert ours == theirs
    assert len(ours) >= 4  # both sides, by week and by month


def test_the_order_of_rows_changes_nothing(memory: Memory) -> None:
    every = [variant for each, _ in several(2) for variant in variants(each, 0)]
    derived(memory, every)
    told = memory.content()
    derived(memory, every, Random(1))
    assert memory.content() == told


@pytest.fixture(scope="module")
def with_block(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Another, where each company has a Capacity Block over a month end."""
    blocks = [BLOCK | {"account": of_company(number, PAYER)} for number in range(BILLS)]
    return Memory(tmp_path_factory.mktemp("block"), capacity_blocks=blocks)


def test_every_cent_of_any_bill_stands_in_one_bucket(with_block: Memory) -> None:
    """Exactly; only Capacity Block fees move between months, and none is lost on the way."""
    bill = [
        row | {name: of_company(number, row[name]) for name in ("BillingAccountId", "SubAccountId")}
        for number, drawn in enumerate(examples(bills, BILLS))
        for row in drawn
    ]
    with_block.derive(bill)
    due: defaultdict[tuple[Any, ...], Decimal] = defaultdict(Decimal)
    for row in bill:
        payer = row["BillingAccountId"]
        key = f"{row['BillingPeriodStart']:%Y-%m}", payer, row["SubAccountId"] or payer
        due[*key, "billed"] += row["BilledCost"]
        due[*key, "effective"] += row["EffectiveCost"]
    held = with_block.rows(
        """SELECT month, billing_account, account, basis, block_spread,
            direct + shared + overhead + idle_commitment + untagged + purchase + credit + refund
                + tax + support + other AS held
        FROM tie_out"""
    )
    keys = ("month", "billing_account", "account", "basis")
    found = {tuple(row[key] for key in keys): row["held"] - row["block_spread"] for row in held}
    assert {key: cost for key, cost in found.items() if cost} == {k: c for k, c in due.items() if c}
    for payer in {of_company(number, PAYER) for number in range(BILLS)}:
        spread = [row["block_spread"] for row in held if row["billing_account"] == payer]
        assert any(spread)
        assert sum(spread) == 0
    assert sum(row["block_spread"] for row in held) == 0
