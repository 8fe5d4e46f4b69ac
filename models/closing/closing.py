"""Closes a month: stores its statement as the next version, never to change (METHOD §7.3)."""

from __future__ import annotations

from pathlib import Path

from models.closing.closer_and_reason import closer, in_one_line
from models.closing.draft import Drafted, draft
from models.config.settings import Settings
from models.contract.errors import CloseError, MissingDataError, NotReadyError
from models.engine.warehouse.lock import lock
from models.records.audit import audited
from models.records.closes import Close, Closes


def close(
    settings: Settings,
    month: str,
    *,
    by: str,
    reason: str = "",
    explanation: str = "",
    edition: int | None = None,
) -> Drafted:
    """Closes a month: stores its statement as a new version; `NotReadyError` on unmet conditions.

    The error has the conditions that are not met. To close a month again, a `reason` is needed; the
    earlier version is kept, and the new one counts. The first close after the method changed needs
    its new `edition`.
    """
    by, reason, explanation = closer(by), in_one_line(reason), in_one_line(explanation)
    about = {"month": month, "by": by, "reason": reason}
    with (
        audited(settings.data, "close", about, role="finance"),
        lock(settings.data, purpose=f"close {month}"),
    ):
        closes = Closes(settings.data)
        _sweep(closes.folder)
        if (known := closes.versions(month)) and not reason:
            raise CloseError(
                f"{month} is closed already",
                value=f"version {known[-1].version} by {known[-1].closed_by}",
                remedy="--reason TEXT says why it is opened again, as a new version",
            )
        made = draft(
            settings, month, by=by, reason=reason, explanation=explanation, edition=edition
        )
        if missing := [one for one in made.conditions if not one.holds]:
            raise NotReadyError(
                f"{month} cannot be closed", [f"{one.name}: {one.text}" for one in missing]
            )
        closes.add(made.close)
    return made


def one_of(closes: Closes, month: str, number: int | None = None) -> Close:
    """Returns one version of a closed month, by default the newest; `MissingDataError` if none."""
    versions = closes.versions(month)
    candidates = [known for known in versions if number in (None, known.version)]
    if not candidates:
        named = (
            ", ".join(sorted({known.called for known in closes.every()})) or "no month is closed"
        )
        what = month if number is None else f"{month} version {number}"
        raise MissingDataError("there is no such close", value=what, remedy=named)
    return candidates[-1]


def _sweep(folder: Path) -> None:
    """Deletes unfinished files of closed months that a crash left.

    Call it only as the one writer, because another writer's file in the making looks the same.
    """
    for stale in folder.glob("*/.*.json.*"):
        stale.unlink()
