"""METHOD §3.5: against which GPU lineages a loss is held, and what it is then called."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.marts.work.parity.parity_verdicts import parity_verdicts
from tests.support.marts.compiled_once import applied
from tests.support.marts.mart_inputs import table

LINE = {"workload": "string", "lineage": "string"}
RUN = {"workload": "string", "run": "string"}
AMOUNT = "decimal(38, 9)"
FACTS = LINE | {
    "on_gpu": "boolean", "on_trainium": "boolean", "ended": "boolean", "ended_on": "date",
    "settled_through": "date", "target_loss": "float64",
}  # fmt: skip
WORK = LINE | {
    "kind": "string", "comparability": "string", "work": AMOUNT, "least_work": AMOUNT,
    "work_to_target": AMOUNT,
}  # fmt: skip
FINAL = LINE | {"final_loss": "float64"}
MEMBERS = RUN | {"lineage": "string", "in_lineage": "boolean"}
SAMPLES = RUN | {"observed_at": "timestamp", "loss": "float64"}
STEPS = RUN | {
    "lineage": "string", "counter": "string", "since": "timestamp", "observed_at": "timestamp",
    "rise": AMOUNT, "repeated": AMOUNT,
}  # fmt: skip
SETTLED = date(2025, 10, 28)
FIRST = date(2025, 1, 1)
WINDOW = 365
Curve = dict[Decimal, float]
"""Losses by the work that was done by then."""
Verdicts = dict[str, tuple[str | None, bool]]


@dataclass(frozen=True)
class Line:
    """A lineage that ended so many days after the first, or runs still."""

    name: str
    work: Decimal
    loss: float | None
    end: int | None = 0
    gpu: bool = True
    kind: str = ""
    curve: Curve | None = None
    comparability: str | None = "comparable"
    target: float | None = None
    reached: Decimal | None = None
    """Its work when its loss was at the target."""
    counted: tuple[str, int] = ("epoch", 1)
    """The counter that it reports, and how much of it makes a unit of work."""

    @property
    def ended_on(self) -> date | None:
        """Its last day."""
        return None if self.end is None else FIRST + timedelta(days=self.end)

    @property
    def told(self) -> Curve:
        """Its losses; without any told, the final one at the end."""
        return self.curve or ({} if self.loss is None else {self.work: self.loss})


def gpu(name: str, work: object, loss: float | None, end: int = 0, **said: Any) -> Line:  # noqa: ANN401 - fields of Line
    return Line(name, Decimal(str(work)), loss, end, **said)


def trn(name: str, work: object, loss: float | None, end: int | None = 200, **said: Any) -> Line:  # noqa: ANN401 - fields of Line
    return Line(name, Decimal(str(work)), loss, end, gpu=False, **said)


def verdicts(*lines: Line, tolerance: str = "0.01") -> Verdicts:
    """The verdict on each Trainium lineage, and whether it was reached at equal work."""
    return of_workloads({"w": lines}, tolerance)["w"]


def of_workloads(lines: Mapping[str, Iterable[Line]], tolerance: str) -> dict[str, Verdicts]:
    """The same of several workloads."""
    settings = validated_settings({"quality": {"tolerance": tolerance}}, home=Path())
    every = [(w, m) for w, of_workload in lines.items() for m in of_workload]
    found = applied(
        parity_verdicts,
        table(FACTS, [
            (w, m.name, m.gpu, not m.gpu, m.end is not None, m.ended_on, SETTLED, m.target)
            for w, m in every
        ]),
        table(WORK, [
            (w, m.name, m.kind, m.comparability, m.work, Decimal("0.9"), m.reached)
            for w, m in every
        ]),
        table(FINAL, [(w, m.name, m.loss) for w, m in every]),
        table(MEMBERS, [(w, m.name, m.name, True) for w, m in every]),
        table(SAMPLES, [
            (w, m.name, moment(at, m), loss) for w, m in every for at, loss in m.told.items()
        ]),
        table(STEPS, [row for w, m in every for row in steps(w, m)]),
        settings,
    )  # fmt: skip
    told: dict[str, Verdicts] = {w: {} for w in lines}
    for row in found.to_pyarrow().to_pylist():
        told[row["workload"]][row["lineage"]] = (row["parity"], row["short"])
    return told


def moment(at: Decimal, line: Line) -> datetime:
    """A second for every hundredth of work, from noon on."""
    return datetime.combine(line.ended_on or SETTLED, time(12)) + timedelta(seconds=int(at * 100))


def steps(workload: str, line: Line) -> list[tuple[Any, ...]]:
    """From nothing to all of its work, evenly."""
    begin, end = moment(Decimal(0), line), moment(line.work, line)
    counter, each = line.counted
    who = (workload, line.name, line.name, counter)
    nil = Decimal(0)
    return [(*who, None, begin, nil, nil), (*who, begin, end, line.work * each, nil)]


ON_GPU = (gpu("g1", 10, 2.0), gpu("g2", 10, 2.0), gpu("g3", 2, 2.6))
"""METHOD §8 M: the third was stopped early."""


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (trn("t", 10, 2.5), "below_parity"),
        (trn("t", 10, 2.02), "parity"),
        (trn("t", 10, 2.020001), "below_parity"),
        (trn("t", 10, None), "below_parity"),
        (trn("t", 10, 2.5, None), "pending"),
        (trn("t", 10, 2.5, kind="qlora", comparability="recipe differs"), None),
        (trn("t", 10, 2.5, kind="qlora"), "unverified"),
    ],
)
def test_a_run_that_was_stopped_early_is_no_licence(line: Line, verdict: str | None) -> None:
    assert verdicts(*ON_GPU, line) == {"t": (verdict, False)}


@pytest.mark.parametrize(
    ("loss", "tolerance", "verdict"),
    [
        (1.111, "0.01", "parity"),
        (1.1111, "0.01", "below_parity"),
        (1.1, "0", "parity"),
        (1.2, "0.09", "below_parity"),
    ],
)
def test_the_tolerance_is_of_the_config_and_exact(
    loss: float, tolerance: str, verdict: str
) -> None:
    """1.1 × 1.01 is 1.111, though not in doubles: there it is 1.1110000000000002."""
    found = verdicts(gpu("g", 10, 1.1), trn("t", 10, loss), tolerance=tolerance)
    assert found["t"][0] == verdict


def test_below_nothing_a_hundredth_worse_is_above() -> None:
    """As a log-likelihood: of −2.00 up to −1.98."""
    found = verdicts(gpu("g", 10, -2.0), trn("t", 10, -1.98), trn("u", 10, -1.97))
    assert found == {"t": ("parity", False), "u": ("below_parity", False)}


HALFWAY = {Decimal(1): 4.0, Decimal("4.8"): 2.4, Decimal(5): 2.2, Decimal(10): 2.0}
"""Its loss at 5 epochs is 2.3, the median of what lies above 4.75 and up to 5."""


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (trn("t", 5, 2.3), ("parity", True)),
        (trn("t", 5, 2.323), ("parity", True)),
        (trn("t", 5, 2.324), ("below_parity", False)),
        (trn("t", 5, 2.01), ("parity", False)),  # as good as GPU in the end
        (trn("t", 9, 2.3), ("below_parity", False)),  # not short
        (trn("t", "8.9", 2.02), ("parity", False)),
        (trn("t", "8.9", 2.03), ("below_parity", False)),  # the next after 8.9 is 2.0
        (trn("t", "0.5", 4.04), ("parity", True)),  # the next after 0.5
        (trn("t", 5, None), ("below_parity", False)),
    ],
)
def test_a_short_lineage_is_held_against_gpu_at_equal_work(
    line: Line, verdict: tuple[str, bool]
) -> None:
    told = [gpu(name, 10, 2.0, curve=HALFWAY) for name in ("g1", "g2")]
    assert verdicts(*told, gpu("g3", 2, 2.6), line) == {"t": verdict}


@pytest.mark.parametrize(
    ("counter", "each"), [("tokens", 2_048_000_000), ("tokens", 10**9), ("samples", 10**6)]
)
def test_equal_work_is_found_by_a_counter_of_small_pieces(counter: str, each: int) -> None:
    """A million samples of 2,048 tokens: a token is 0.0000000005 of it, zero in nine places."""
    told = [gpu(name, 10, 2.0, curve=HALFWAY, counted=(counter, each)) for name in ("g1", "g2")]
    asked = trn("t", 5, 2.323), trn("u", 5, 2.324)
    assert verdicts(*told, *asked) == {"t": ("parity", True), "u": ("below_parity", False)}


def test_without_a_loss_after_the_work_the_last_before_it_counts() -> None:
    """GPU's loss was last seen at 9.1 of 10 epochs, and the usual work is 11."""
    early = gpu("g1", 10, 2.0, curve={Decimal(2): 3.0, Decimal("9.1"): 2.4})
    found = verdicts(early, gpu("g2", 12, 1.0, curve={Decimal(1): 2.4, Decimal(12): 1.0}),
                     trn("t", "9.8", 1.7), trn("u", "9.8", 1.72))  # fmt: skip
    assert found == {"t": ("parity", True), "u": ("below_parity", False)}


def test_the_reference_is_of_the_year_up_to_the_newest_that_had_ended() -> None:
    """From the 300th day on 3.0 and 1.0, and 2.0 between the two; before it the first alone."""
    told = gpu("g1", 10, 3.0, 0), gpu("g2", 10, 2.0, 300), gpu("g3", 10, 1.0, 366)
    asked = [trn(f"t{day}", 10, 1.5, day) for day in (10, 310, 366)]
    later = trn("early", 10, 2.9, -5)
    assert verdicts(*told, *asked, later) == {
        "t10": ("parity", False),
        "t310": ("parity", False),
        "t366": ("parity", False),
        "early": ("parity", False),
    }
    worse = [trn(f"t{day}", 10, 2.6, day) for day in (10, 310, 366)]
    assert [v for v, _ in verdicts(*told, *worse).values()] == [
        "parity", "below_parity", "below_parity",
    ]  # fmt: skip


def expected(line: Line, lines: list[Line]) -> tuple[str, bool]:
    """The verdict by METHOD §3.5, in decimals."""
    ended = [m for m in lines if m.gpu and m.kind == line.kind and m.work >= Decimal("0.9")]
    judged_on = line.ended_on or SETTLED
    ends = [m.ended_on for m in ended if m.ended_on]
    newest = max((e for e in ends if e <= judged_on), default=min(ends, default=None))
    if newest is None:
        return "unverified", False
    begin = newest - timedelta(days=WINDOW)
    window = [m for m in ended if m.ended_on and begin < m.ended_on <= newest]
    usual = median(m.work for m in window)
    good = [m for m in window if m.work >= usual * 9 / 10 and m.loss is not None]
    if not good:
        return "unverified", False
    if line.end is None:
        return "pending", False
    if _within(line.loss, median(exact(m.loss) for m in good)):
        return "parity", False
    if line.work < usual * 9 / 10:
        there = median(exact(_loss_at(line.work, m.told)) for m in good)
        if _within(line.loss, there):
            return "parity", True
    return "below_parity", False


def exact(loss: float | None) -> Decimal:
    return Decimal(str(loss))


def _within(loss: float | None, reference: Decimal) -> bool:
    if loss is None:
        return False
    return exact(loss) <= reference + abs(reference) / 100


def _loss_at(work: Decimal, told: Curve) -> float:
    inside = [loss for at, loss in told.items() if work * 95 / 100 < at <= work]
    after = [at for at in told if at > work]
    if inside:
        return median(inside)
    return told[min(after)] if after else told[max(told)]


def drawn(luck: random.Random, number: int, *, on_gpu: bool) -> Line:
    """A lineage of one of two kinds, with losses that fall along its way."""
    work = Decimal(luck.choice((5, 40, 80, 90, 100, 110))) / 10
    places = sorted({Decimal(luck.randrange(1, int(work * 10) + 1)) / 10 for _ in range(6)})
    curve = {at: round(3 - float(at) / 10 + luck.randrange(4) / 100, 2) for at in places}
    loss = None if luck.random() < 0.1 else curve[places[-1]]
    end = luck.randrange(0, 290)
    running = not on_gpu and luck.random() < 0.1
    return Line(
        f"{'g' if on_gpu else 't'}{number}", work, loss, None if running else end, on_gpu,
        luck.choice(("", "qlora")), curve,
    )  # fmt: skip


def test_every_verdict_is_that_of_the_method() -> None:
    """Of forty workloads, each drawn by a seed of its own."""
    drawn_lines, due = {}, {}
    for seed in range(40):
        luck = random.Random(seed)
        on_gpu = [drawn(luck, number, on_gpu=True) for number in range(luck.randrange(1, 8))]
        on_trn = [drawn(luck, number, on_gpu=False) for number in range(6)]
        lines = on_gpu + on_trn
        luck.shuffle(lines)
        drawn_lines[f"w{seed}"] = lines
        due[f"w{seed}"] = {line.name: expected(line, on_gpu) for line in on_trn}
    assert of_workloads(drawn_lines, "0.01") == due


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (trn("t", 12, 9.0, target=2.0, reached=Decimal(8)), "parity"),
        (trn("t", 12, 9.0, None, target=2.0, reached=Decimal(8)), "parity"),
        (trn("t", 12, 2.01, target=2.0), "below_parity"),
        (trn("t", 5, 2.4, target=2.0, curve={Decimal(5): 2.4}), "below_parity"),
        (trn("t", 12, None, None, target=2.0), "pending"),
        (trn("t", 12, 2.0, target=2.0, comparability="recipe differs"), None),
    ],
)
def test_with_a_target_a_lineage_is_judged_by_it_alone(line: Line, verdict: str | None) -> None:
    """Whatever GPU ended with: 2.00 here, or no loss at all; never at equal work."""
    curve = {Decimal(5): 2.4, Decimal(10): 2.0}
    for loss in (2.0, None):
        of_gpu = [gpu(name, 10, loss, target=2.0, curve=curve) for name in ("g1", "g2")]
        assert verdicts(*of_gpu, line)["t"] == (verdict, False)
