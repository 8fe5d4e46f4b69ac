"""Verifies a closed month: computes it again from the deliveries it names (METHOD §7.3).

The config is that of the close as well. Closing and verifying share one computation, so they cannot
differ in method. For a close by an earlier edition of the method only its file and its deliveries
are checked: its figures are not recomputed, because the rules have changed since.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from models.closing.closing import one_of
from models.closing.derivation import derived
from models.closing.draft import outline
from models.closing.frozen_inputs import thawed, unchanged
from models.closing.monthly_statement import Sources, statement
from models.closing.recomputed_by_this_edition import ByThisEdition
from models.closing.statement_differences import differences
from models.config.settings import Settings
from models.contract.edition import EDITION
from models.contract.errors import CloseError
from models.raw.zone import RawZone
from models.records.closes import Close, Closes
from models.records.statement import SINCE, Row, Statement


@dataclass(frozen=True)
class Verified:
    """The result of a successful verification of a closed month.

    `computed_again` says that its figures were computed again and are the same: always, if this
    edition of the method closed it; never, if an earlier one did.
    """

    close: Close
    computed_again: bool

    def line(self) -> str:
        """Formats a verified close of a month as one line of text for the terminal."""
        close, count = self.close, len(self.close.deliveries)
        figures = (
            f"computed again from {count} deliveries, every figure agrees"
            if self.computed_again
            else f"computed by edition {close.statement.edition} of the method, its file and its "
            f"{count} deliveries are as they were"
        )
        return (
            f"{close.called}: as closed by {close.closed_by} at {close.closed_at}; {figures} "
            f"(sha256 {close.statement.sha256})"
        )

    def document(self) -> dict[str, Any]:
        """Returns a dict for JSON: who closed a month, when, why, its hash, and if figures agree.

        `agrees` is null where the figures are of an earlier edition: they were not computed again.
        """
        return outline(self.close) | {"agrees": True if self.computed_again else None}


def verify(settings: Settings, month: str, number: int | None = None) -> Verified:
    """Verifies a stored close: checks its file and deliveries, and recomputes its figures.

    Of a close of an earlier edition only the file and the deliveries are compared. `CloseError`
    says what differs.
    """
    closes = Closes(settings.data)
    found = one_of(closes, month, number)
    every = {delivery.id: delivery for delivery in RawZone(settings.data / "raw").deliveries()}
    mine = [unchanged(one, every) for one in found.deliveries]
    if found.statement.edition != EDITION:
        return Verified(found, computed_again=False)
    others = [one_of(closes, other, version) for other, version in found.closes]
    config = thawed(found.config, settings)
    with derived(config, mine, mine) as ask:
        program = found.statement.facts.get("version")
        again_of = ByThisEdition(settings)
        sources = Sources(ask, config, others, found.deliveries, found.config, program, again_of)
        again = _comparable(statement(month, sources), found.statement)
    if again.sha256 != found.statement.sha256:
        raise CloseError(
            f"{found.called} is not what its deliveries give",
            value=next(differences(found.statement, again)),
            remedy="keep the close; find out what changed before anyone relies on either",
        )
    return Verified(found, computed_again=True)


def _comparable(again: Statement, closed: Statement) -> Statement:
    """Returns the recomputed statement without the tables and columns that the closed one lacks.

    What only a later version of breakeven writes is no difference.
    """
    tables = {
        name: _without_later(again.tables[name], rows, SINCE.get(name, ()))
        for name, rows in closed.tables.items()
    }
    return replace(again, tables=tables)


def _without_later(rows: list[Row], closed: list[Row], columns: Iterable[str]) -> list[Row]:
    """Returns rows with those given columns set to None that are None in all rows of the close."""
    unsaid = [name for name in columns if all(row[name] is None for row in closed)]
    return [row | dict.fromkeys(unsaid) for row in rows]
