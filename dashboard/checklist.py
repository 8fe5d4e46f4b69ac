"""The checklist: nine factors of a move, answered from data or by the reader, and where they lean.

A factor leans to Trainium or to GPU, or to neither, or is open; its threshold is stated. Spend,
pattern and horizon are one sum seen from three sides, so they count once: as the horizon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from dashboard.assumptions import decimal_of, text_of
from dashboard.format import GAP, count, dollars, number, percent, plain, sentence
from models.forecast.starting_point import WEEKS
from models.forecast.what_if import HORIZON, NO_PACE, UNKNOWN, Migration, Outcome, Verdict

TRAINIUM, GPU, NEITHER, OPEN = "trainium", "gpu", "neither", "open"
CHOICES = {
    "arch": {
        "": "Not said",
        "supported": "Supported as it is",
        "port": "To be ported by hand",
        "kernels": "Own CUDA kernels",
    },
    "cloud": {"": "Not said", "aws": "AWS alone", "several": "Several clouds"},
    "team": {"": "Not said", "knows": "Knows Neuron", "learns": "Can learn it", "none": "No time"},
    "serve": {
        "": "Not said",
        "none": "Not served",
        "neuron": "On Neuron",
        "any": "On anything",
        "cuda": "Bound to CUDA",
    },
    "plan": {
        "": "As the bill says",
        "free": "None left by then",
        "covers": "Covers Trainium too",
        "bound": "GPU alone",
    },
}
"""What can be answered, by the parameter of the address."""
NUMBERS = ("budget", "horizon")
MONEY = ("spend", "pattern", "horizon")
"""Factors that are the same sum."""
TITLES = {
    "spend": "Monthly training spend",
    "arch": "Architecture",
    "budget": "Migration budget",
    "cloud": "Cloud strategy",
    "team": "Team",
    "pattern": "Workload pattern",
    "serve": "Inference needs",
    "horizon": "Horizon",
    "plan": "Commitment",
}
"""The nine factors, in order."""


@dataclass(frozen=True)
class Answers:
    """What the reader says; empty and null where nothing. Dollars, months."""

    arch: str = ""
    cloud: str = ""
    team: str = ""
    serve: str = ""
    plan: str = ""
    budget: Decimal | None = None
    horizon: Decimal | None = None

    @classmethod
    def parse(cls, query: Mapping[str, Any]) -> Self:
        """From a query string's parameters, which anyone may have typed."""
        words = {name: text_of(query.get(name)) for name in CHOICES}
        told = {name: text if text in CHOICES[name] else "" for name, text in words.items()}
        budget, horizon = (decimal_of(text_of(query.get(name))) for name in NUMBERS)
        return cls(**told, budget=budget, horizon=horizon or None)

    @property
    def months(self) -> Decimal:
        """How far one looks: as said, else as the forecast does."""
        return Decimal(HORIZON) if self.horizon is None else self.horizon


@dataclass(frozen=True)
class Facts:
    """What the snapshot says of it. `committed`: share of the workload's recent GPU hours that a
    commitment covered, null without such hours. `moved_here`, `saving_here`: workloads."""

    moved: bool
    moved_here: int
    saving_here: int
    committed: Decimal | None
    serves_neuron: bool

    @classmethod
    def read(cls, row: Mapping[str, Any], moved: bool, shares: Sequence[Mapping[str, Any]]) -> Self:
        """From the rows that tell it."""
        hours = row.get("gpu_hours")
        return cls(
            moved,
            len(shares),
            sum(each["saved"] > 0 for each in shares),
            (row["committed_hours"] or Decimal(0)) / hours if hours else None,
            bool(row.get("inferentia_hours")),
        )

    def sent(self) -> dict[str, Any]:
        """As the page keeps it, so that a slider asks the snapshot nothing."""
        share = None if self.committed is None else str(self.committed)
        return {**vars(self), "committed": share}

    @classmethod
    def kept(cls, sent: Mapping[str, Any]) -> Self:
        """Of what the page kept."""
        share = sent["committed"]
        return cls(**{**sent, "committed": None if share is None else Decimal(share)})


@dataclass(frozen=True)
class Factor:
    """`answer` is what the data says where they say anything; `threshold` what it is judged by."""

    name: str
    lean: str
    reason: str
    threshold: str
    answer: str = ""


def factors(asked: Migration, found: Outcome, answers: Answers, facts: Facts) -> list[Factor]:
    """All nine, in the order of `TITLES`."""
    made = [
        _spend(asked, found, answers.months),
        _arch(answers, facts),
        _budget(asked, answers, facts),
        _cloud(answers),
        _team(answers, facts),
        _pattern(asked, found, answers.months),
        _serve(answers, facts),
        _horizon(found, answers),
        _plan(answers, facts),
    ]
    return sorted(made, key=lambda each: list(TITLES).index(each.name))


def verdict(made: Sequence[Factor]) -> tuple[str, str]:
    """Where they lean together, and what decides it."""
    by = {each.name: each for each in made}
    money = by["horizon"]
    others = [each for each in made if each.name not in MONEY]
    towards = _named(others, TRAINIUM)
    against = _named(others, GPU)
    if money.lean == GPU:
        return GPU, f"Money decides: {_lower(money.reason)}{_though(towards, 'leans to Trainium')}"
    if by["cloud"].lean == GPU:
        return GPU, f"Cloud strategy decides: {_lower(by['cloud'].reason)}"
    if money.lean == OPEN:
        return OPEN, (
            f"Undecided, for the money is: {_lower(money.reason)}"
            f"{_though(towards, 'leans to Trainium')}{_though(against, 'leans to GPU')}"
        )
    if len(against) > len([money, *towards]):
        return NEITHER, (
            f"The money speaks for it: {_lower(money.reason)}{_though(against, 'leans to GPU')}"
            " These outnumber what speaks for it."
        )
    return TRAINIUM, f"Money decides: {_lower(money.reason)}{_though(against, 'leans to GPU')}"


def _spend(asked: Migration, found: Outcome, months: Decimal) -> Factor:
    """What a month must cost on GPU so that the saving pays for the move within the horizon."""
    month = _times(found.gpu_cost_per_run, asked.runs_per_month)
    answer = "" if month is None else f"{dollars(month)} a month for the same runs on GPU."
    rule = "(owed ÷ months + upkeep) ÷ share that a run saves"
    if found.saving_per_run is not None and found.saving_per_run <= 0:
        return Factor("spend", GPU, "A run saves nothing, at any spend.", rule + ".", answer)
    owed = _owed(asked)
    if month is None or owed is None or not found.saving_per_run or not found.gpu_cost_per_run:
        return Factor("spend", OPEN, _open(found), rule + ".", answer)
    needed = (owed / months + asked.upkeep_per_month) * found.gpu_cost_per_run
    needed /= found.saving_per_run
    lean = TRAINIUM if month >= needed else GPU
    reason = f"{dollars(month)} is {'enough' if lean == TRAINIUM else 'too little'}."
    return Factor("spend", lean, reason, f"From {dollars(needed)} a month on: {rule}.", answer)


def _pattern(asked: Migration, found: Outcome, months: Decimal) -> Factor:
    """Whether enough runs come within the horizon."""
    pace, needed = asked.runs_per_month, found.runs_to_break_even
    answer = "" if pace is None else f"{number(pace, 1)} runs a month."
    rule = "runs to break-even against runs a month × months"
    if found.never:
        return Factor("pattern", GPU, "No number of runs pays for it.", sentence(rule), answer)
    if _adds_nothing(found):
        return Factor("pattern", GPU, "No run adds to what is paid back.", sentence(rule), answer)
    if pace is None or needed is None:
        return Factor("pattern", OPEN, _open(found), sentence(rule), answer)
    come = pace * months
    lean = TRAINIUM if come >= needed else GPU
    reason = f"{number(come, 1)} runs come in {_months(months)}; {count(needed, 'run')} would do."
    if not needed:
        reason = "Nothing is left to pay back."
    return Factor("pattern", lean, reason, f"From {count(needed, 'run')} on: {rule}.", answer)


def _horizon(found: Outcome, answers: Answers) -> Factor:
    """Whether the move has paid for itself by then."""
    rule = f"Paid back within {_months(answers.months)}"
    rule += "." if answers.horizon else ", as far as the forecast looks; yours may be another."
    if found.never:
        return Factor("horizon", GPU, f"It never pays for itself: {found.why}.", rule)
    if _adds_nothing(found):
        return Factor("horizon", GPU, f"It has paid for itself, but {found.why}.", rule)
    if found.payback_months is None:
        return Factor("horizon", OPEN, _open(found), rule)
    within = found.payback_months <= answers.months
    told = "It has paid for itself." if not found.payback_months else (
        f"It pays for itself in {_months(found.payback_months)}, "
        f"{'within' if within else 'beyond'} {_months(answers.months)}."
    )  # fmt: skip
    return Factor("horizon", TRAINIUM if within else GPU, told, rule)


def _arch(answers: Answers, facts: Facts) -> Factor:
    rule = "Trainium where Neuron supports it as it is; GPU where kernels must be written anew."
    told = {
        "supported": (TRAINIUM, "Most of the code runs with minimal changes."),
        "port": (NEITHER, "A port by hand is work, and no hindrance: its cost is in the sum."),
        "kernels": (GPU, "Own CUDA kernels must be written anew for Neuron."),
    }
    if answers.arch:
        return Factor("arch", *told[answers.arch], rule)
    if facts.moved:
        return Factor("arch", TRAINIUM, "It runs there.", rule, "It trains on Trainium already.")
    return Factor("arch", OPEN, "No bill says what a model is made of.", rule)


def _budget(asked: Migration, answers: Answers, facts: Facts) -> Factor:
    cost = asked.porting_cost
    answer = "" if not cost else f"The move is put at {dollars(cost)}."
    rule = "Trainium from the cost of the move on, GPU below it."
    if facts.moved:
        return Factor("budget", NEITHER, "It is spent: the move is made.", rule, answer)
    if answers.budget is None or not cost:
        lacking = "the budget" if cost else "what the move costs (the slider above)"
        return Factor("budget", OPEN, f"Nobody said {lacking}.", rule, answer)
    enough = answers.budget >= cost
    reason = (
        f"{dollars(answers.budget)} {'covers' if enough else 'falls short of'} {dollars(cost)}."
    )
    return Factor("budget", TRAINIUM if enough else GPU, reason, rule, answer)


def _cloud(answers: Answers) -> Factor:
    told = {
        "": (OPEN, "One AWS bill says nothing about other clouds."),
        "aws": (TRAINIUM, "Trainium is AWS's alone, which is no hindrance then."),
        "several": (GPU, "Trainium is AWS's alone: elsewhere the same code needs a GPU."),
    }
    return Factor("cloud", *told[answers.cloud], "GPU where it must run on another cloud, too.")


def _team(answers: Answers, facts: Facts) -> Factor:
    rule = "Trainium where somebody has done it; GPU where nobody has the time."
    told = {
        "knows": (TRAINIUM, "Somebody has done it before."),
        "learns": (NEITHER, "Learning takes days: put them into the effort."),
        "none": (GPU, "Without anybody's time it will not be done."),
    }
    answer = ""
    if facts.moved_here:
        saving = "saves" if facts.saving_here == 1 else "save"
        moved = f"{count(facts.moved_here, 'workload')} moved here"
        answer = f"{moved}; {facts.saving_here} of them {saving}."
    if answers.team:
        return Factor("team", *told[answers.team], rule, answer)
    if facts.saving_here:
        return Factor("team", TRAINIUM, "Somebody here has done it, and it saves.", rule, answer)
    if facts.moved_here:
        return Factor("team", NEITHER, "It was done here, and has not saved yet.", rule, answer)
    return Factor("team", OPEN, "Nobody has moved a workload here yet.", rule)


def _serve(answers: Answers, facts: Facts) -> Factor:
    rule = "Trainium where models are served on Neuron; GPU where serving is bound to CUDA."
    told = {
        "none": (NEITHER, "Nothing depends on it."),
        "neuron": (TRAINIUM, "The same SDK and formats serve it."),
        "any": (NEITHER, "A portable checkpoint can be served on either."),
        "cuda": (GPU, "It would have to be converted back for each release."),
    }
    answer = f"Inferentia hours are on the bill of the last {WEEKS} settled weeks."
    answer = answer if facts.serves_neuron else ""
    if answers.serve:
        return Factor("serve", *told[answers.serve], rule, answer)
    if facts.serves_neuron:
        return Factor("serve", TRAINIUM, "Models are served on Neuron here already.", rule, answer)
    return Factor("serve", OPEN, "A bill does not say how a model is served.", rule)


def _plan(answers: Answers, facts: Facts) -> Factor:
    rule = "GPU as soon as a commitment covers any of its GPU hours and cannot cover Trainium."
    told = {
        "free": (TRAINIUM, "Nothing is paid for GPUs that would then stand idle."),
        "covers": (NEITHER, "A Compute Savings Plan covers either."),
        "bound": (GPU, "What nobody else uses of it is paid all the same."),
    }
    share = facts.committed
    lately = f"of its GPU hours of the last {WEEKS} settled weeks."
    answer = "" if share is None else f"A commitment covers {percent(share, 1)} {lately}"
    if answers.plan:
        return Factor("plan", *told[answers.plan], rule, answer)
    if share is None:
        return Factor("plan", NEITHER, "It has no GPU hours lately that could be covered.", rule)
    if share:
        reason = "What nobody else uses of the commitment is paid all the same."
        return Factor("plan", GPU, reason, rule, answer)
    return Factor("plan", TRAINIUM, "Nothing is committed that would stand idle.", rule, answer)


def _adds_nothing(found: Outcome) -> bool:
    return found.paid and found.net_per_month is not None


def _owed(asked: Migration) -> Decimal | None:
    if asked.porting_cost is None or asked.saved_so_far is None:
        return None
    return max(asked.porting_cost - asked.saved_so_far, Decimal(0))


def _open(found: Outcome) -> str:
    """What the what-if lacks, in its words."""
    if found.verdict in (Verdict.UNKNOWN, Verdict.MONTHS_UNKNOWN):
        return sentence(found.why)
    return sentence(NO_PACE if found.payback_months is None else UNKNOWN)


def _named(made: Sequence[Factor], lean: str) -> list[str]:
    return [TITLES[each.name].lower() for each in made if each.lean == lean]


def _though(names: Sequence[str], leans: str) -> str:
    if not names:
        return ""
    several = leans.replace("leans", "lean") if len(names) > 1 else leans
    return " " + sentence(f"{', '.join(names)} {several}")


def _months(value: Decimal) -> str:
    text = plain(value.quantize(Decimal("0.1")))
    return f"{text}{GAP}{'month' if text == '1' else 'months'}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _times(left: Decimal | None, right: Decimal | None) -> Decimal | None:
    return None if left is None or right is None else left * right
