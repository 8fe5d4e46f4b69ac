"""Writes sentences on a month's saving, percentages and numbers, for documents and letters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from models.contract.decimal_text import UNKNOWN, dollars, rounded
from models.documents.not_moved import nothing_moved
from models.records.statement import Row, uncompared


@dataclass(frozen=True)
class Formats:
    """The functions with which a document formats months, dollars and fractions.

    `reasons` says where a reader of the document finds why a saving is unknown.
    """

    month: Callable[[str], str]
    dollars: Callable[[Decimal | None], str]
    percent: Callable[[Decimal | None], str]
    reasons: str = "the pages below say why"


NOT_SETTLED = "no day of it has settled yet"


def sentence(month: str, whole: Row, formats: Formats | None = None) -> str:
    """Returns what the portfolio saved or lost in a month and in total, as sentences.

    Without `formats` it is written as the statement is: exact to the cent, months as 2027-01.
    """
    write = formats or AS_STATED
    if unmoved := nothing_moved(whole, write.dollars):
        return unmoved
    net, total, spent = whole["net_saving"], whole["cumulative_net"], whole["investment"]
    if net is None or total is None:
        why = NOT_SETTLED if whole["settled_through"] is None else write.reasons
        return f"What {write.month(month)} saved is not known: {why}."
    verb = "saved" if net >= 0 else "lost"
    state = "ahead" if total >= 0 else "short of break-even"
    return (
        f"Training on Trainium {verb} {write.dollars(abs(net))} net in {write.month(month)}, "
        f"with {write.dollars(spent)} invested in the month. "
        f"Since the beginning the migration is {write.dollars(abs(total))} {state}"
        f"{_return(whole, write)}.{_at_old_volume(whole, write)}{_judged(whole, write)}"
    )


def _return(whole: Row, write: Formats) -> str:
    return "" if whole["roi"] is None else f", a return of {write.percent(whole['roi'])}"


def _judged(whole: Row, write: Formats) -> str:
    """Returns a sentence: the part of Trainium spend compared with GPU; empty if unknown."""
    share = whole.get("covered_share")
    if share is None:
        return ""
    return f" This covers {write.percent(share)} of the month's Trainium spend."


def _at_old_volume(whole: Row, write: Formats) -> str:
    """Returns a sentence on the net saving at the old volume; empty if it is the same."""
    net = net_saving_at_old_volume(whole)
    if net is None or net == whole["net_saving"]:
        return ""
    verb, amount = "saved" if net >= 0 else "lost", write.dollars(abs(net))
    return f" At the volume trained before the move the month would have {verb} {amount}."


def net_saving_at_old_volume(row: Row) -> Decimal | None:
    """Returns a month's net saving on the volume trained before the move; None if unknown."""
    old, overhead = row["saving_at_old_volume"], row["overhead"]
    return None if old is None or overhead is None else old - overhead


def bridge(row: Row) -> str:
    """Returns as text how a month's gross saving is computed, with its amounts."""
    gross, whole, cost = (
        dollars(row[name]) for name in ("gross_saving", "counterfactual", "trn_cost")
    )
    return f"Gross saving {gross} = on GPU {whole} − (Trainium {cost} − {dollars(uncompared(row))})"


def reservation(whole: Row, formats: Formats | None = None) -> str:
    """Returns a text of dollars flagged in or left out of a net saving, by reason; or empty."""
    write = formats or AS_STATED
    kinds = {"flagged": "Counted with a flag", "left_out": "Left out"}
    parts = [
        f"{title}: "
        + ", ".join(
            f"{why.replace('_', ' ')} {write.dollars(amount)}" for why, amount in sorted(found)
        )
        for name, title in kinds.items()
        if (found := (whole[name] or {}).items())
    ]
    return f"{'. '.join(parts)}." if parts else ""


LARGEST_PART = Decimal("99.9")
"""Per cent of a part that would round to all."""


def nothing_invested(row: Row) -> bool:
    """Whether a row's return is missing because nothing was invested, not because it is unknown."""
    invested = row.get("cumulative_investment")
    return row.get("roi") is None and invested is not None and invested <= 0


def percent(value: Decimal | None) -> str:
    """Formats a fraction as `12.3 %`; null is `unknown`, and just below 1 never shows as 100 %."""
    if value is None:
        return UNKNOWN
    shown = rounded(value * 100, 1) + 0  # a loss too small to show has no minus sign
    return f"{LARGEST_PART if shown == 100 and value < 1 else shown:,} %"


def number(value: Decimal | None) -> str:
    """Formats a number with two decimals and thousands separators; null is `unknown`."""
    return UNKNOWN if value is None else f"{rounded(value, 2):,}"


AS_STATED = Formats(month=str, dollars=dollars, percent=percent)

SOURCES = {
    "focus": "the bill (FOCUS)",
    "cur2": "the bill (CUR 2.0)",
    "cost_explorer": "the bill (Cost Explorer)",
    "progress_file": "progress in files",
    "cloudwatch": "progress in CloudWatch",
    "sagemaker": "progress in SageMaker",
    "mlflow": "progress in MLflow",
    "wandb": "progress in W&B",
    "tensorboard": "progress in TensorBoard",
    "trainer_state": "progress in Transformers' logs",
    "lightning": "progress in Lightning's logs",
    "utilisation": "how busy machines were, by CloudWatch,",
    "neuron_monitor": "how busy machines were, by neuron-monitor,",
    "allocations": "the files of allocations",
    "slurm": "Slurm",
    "kubernetes": "Kubernetes",
    "hyperpod": "HyperPod",
    "batch": "AWS Batch",
    "sagemaker_jobs": "the list of SageMaker jobs",
    "prices": "the file of prices",
    "price_list": "AWS's price list",
    "spot_prices": "the history of Spot prices",
    "savings_plans": "the list of Savings Plans",
    "capacity": "the list of Capacity Blocks",
}
"""Kinds of sources, as the subject of a sentence. A source with a name of its own keeps it."""
SUBJECT = re.compile(r"(?:^|(?<=; ))(\w+)(?= (?:was delivered again|told later))")


def plain_cause(cause: str) -> str:
    """Returns an adjustment's cause with source kinds such as `slurm` in plain words.

    A close keeps the kinds as its config has them: `slurm told later who held machines`.
    """
    return SUBJECT.sub(lambda found: SOURCES.get(found[1], found[1]), cause)
