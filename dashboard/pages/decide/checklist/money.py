"""Evaluates the three factors that one calculation decides: spend, workload pattern, horizon."""

from __future__ import annotations

from decimal import Decimal

from dashboard.pages.decide.checklist.answers import Answers
from dashboard.pages.decide.checklist.factor import GPU, OPEN, TRAINIUM, Factor
from dashboard.wording.format import GAP, dollars, number, plain, rounded, sentence
from models.forecast.migration import Migration, months_saved, product, remaining
from models.forecast.verdict import NO_PACE, UNKNOWN, Verdict
from models.forecast.what_if import Outcome


def monthly_spend(asked: Migration, found: Outcome, months: Decimal) -> Factor:
    """Returns a checklist factor: whether GPU spend is high enough to repay the move in time."""
    month = product(found.gpu_cost_per_run, asked.runs_per_month)
    answer = "" if month is None else f"{dollars(month)} a month for the same runs on GPU."
    rule = "(owed ÷ months + upkeep) ÷ share that a run saves"
    if found.saving_per_run is not None and found.saving_per_run <= 0:
        return Factor("spend", GPU, "A run saves nothing, at any spend.", rule + ".", answer)
    owed = remaining(asked)
    months = months_saved(asked, months)
    if months <= 0:
        return Factor("spend", GPU, "Training ends before a month of it.", rule + ".", answer)
    if month is None or owed is None or not found.saving_per_run or not found.gpu_cost_per_run:
        return Factor("spend", OPEN, _open(found), rule + ".", answer)
    needed = (owed / months + asked.upkeep_per_month) * found.gpu_cost_per_run
    needed /= found.saving_per_run
    lean = TRAINIUM if month >= needed else GPU
    reason = f"{dollars(month)} is {'enough' if lean == TRAINIUM else 'too little'}."
    return Factor("spend", lean, reason, f"At least {dollars(needed)} a month: {rule}.", answer)


def workload_pattern(asked: Migration, found: Outcome, months: Decimal) -> Factor:
    """Returns a checklist factor: whether enough runs start within given months to repay it."""
    pace, payback = asked.runs_per_month, found.payback_months
    answer = "" if pace is None else f"{number(pace, 1)} runs a month."
    rule = "runs to break-even compared with runs a month × months"
    if found.never:
        return Factor("pattern", GPU, "No number of runs pays for it.", sentence(rule), answer)
    if _adds_nothing(found):
        return Factor(
            "pattern", GPU, "It is paid back, but further runs add nothing.", sentence(rule), answer
        )
    if pace is None or payback is None:
        return Factor("pattern", OPEN, _open(found), sentence(rule), answer)
    months = months_saved(asked, months)
    # not rounded up, which could make it lean otherwise than the horizon
    lean, needed = TRAINIUM if payback <= months else GPU, _runs(pace * payback)
    reason = f"{number(pace * months, 1)} runs start in {_months(months)}; needed: {needed}."
    if not payback:
        reason = "Nothing is left to pay back."
    return Factor("pattern", lean, reason, f"At least {needed}: {rule}.", answer)


def horizon(found: Outcome, answers: Answers) -> Factor:
    """Returns a checklist factor: whether the move is repaid within the months looked ahead."""
    rule = f"Paid back within {_months(answers.months)}"
    rule += "." if answers.horizon else ", which is how far the forecast looks; enter your own."
    if found.never:
        return Factor("horizon", GPU, f"It never pays for itself: {found.why}.", rule)
    if _adds_nothing(found):
        return Factor("horizon", GPU, f"Nothing is left to pay back, but {found.why}.", rule)
    if found.payback_months is None:
        return Factor("horizon", OPEN, _open(found), rule)
    if found.ends_first:
        takes = _months(found.payback_months)
        reason = f"Training ends before it pays for itself, which would take {takes}."
        return Factor("horizon", GPU, reason, rule)
    within = found.payback_months <= answers.months
    text = "Nothing is left to pay back." if not found.payback_months else (
        f"It pays for itself in {_months(found.payback_months)}, "
        f"{'within' if within else 'beyond'} {_months(answers.months)}."
    )  # fmt: skip
    return Factor("horizon", TRAINIUM if within else GPU, text, rule)


def _adds_nothing(found: Outcome) -> bool:
    return found.paid and found.net_per_month is not None


def _open(found: Outcome) -> str:
    """Returns the reason why a checklist factor stays open: what the what-if lacks."""
    if found.verdict in (Verdict.UNKNOWN, Verdict.MONTHS_UNKNOWN):
        return sentence(found.why)
    return sentence(NO_PACE if found.payback_months is None else UNKNOWN)


def _months(value: Decimal) -> str:
    text = plain(rounded(value, 1))
    return f"{text}{GAP}{'month' if text == '1' else 'months'}"


def _runs(value: Decimal) -> str:
    text = plain(rounded(value, 1))
    return f"{text} {'run' if text == '1' else 'runs'}"
