"""Separates what a new edition of the METHOD changed in a closed month from changes of inputs.

What another edition changes is an adjustment of its own (`changed_by` is `edition`): the month as
this edition computes it from the same inputs, less what was closed and adjusted before. What AWS or
the config changed since is the rest (`inputs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from models.closing import adjustment_causes
from models.closing.adjustment_causes import Inputs
from models.contract.edition import EDITION
from models.records.adjustment_amounts import KEYS, Amounts, Key, amounts
from models.records.closes import Close
from models.records.statement import Row

ACCOUNT = KEYS.index("account")
OF_THE_TOTAL = ("bill_total", "remainder")
"""Measures that what the bill is compared with enters."""
Figures = Mapping[str, Sequence[Row]]


class Change(NamedTuple):
    """A change of a closed month: its amounts after it, by `edition` or by `inputs`, and why."""

    after: Amounts
    changed_by: str
    why: Callable[[Key], str]


def changes_since(
    month: str,
    latest: Close,
    now: Figures,
    inputs: Inputs,
    by_this_edition: Callable[[Close], Figures | None],
) -> Iterator[Change]:
    """Yields one or two changes of a closed month: by a newer edition of the METHOD, by inputs."""

    def why(account: str | None) -> str:
        return adjustment_causes.since(latest, month, inputs, account)

    def of_inputs(key: Key) -> str:
        total = key[-1] in OF_THE_TOTAL
        compared = adjustment_causes.of_the_total(latest, month, inputs) if total else ""
        return "; ".join(filter(None, (why(key[ACCOUNT]), compared)))

    def by_inputs(key: Key) -> str:
        return of_inputs(key) or adjustment_causes.of_other_days(key[-1])

    today, edition = amounts(now, month), latest.statement.edition
    if edition == EDITION:
        yield Change(today, "inputs", by_inputs)
        return
    name = adjustment_causes.by_edition(edition)
    changed = why(None) or adjustment_causes.since_close(latest, inputs.delivered)
    same = by_this_edition(latest) if changed else now
    if same is None:
        yield Change(today, "edition", lambda key: "; ".join(filter(None, (of_inputs(key), name))))
        return
    yield Change(amounts(same, month), "edition", lambda _: name)
    yield Change(today, "inputs", by_inputs)
