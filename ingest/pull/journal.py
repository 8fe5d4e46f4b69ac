"""Writes the journal of pulls, `deliveries.jsonl` beside the warehouse: two lines per source.

    {"at": "2026-10-31T06:00:09+00:00", "source": "focus", "location": "s3://bills/focus",
     "window": "", "fresh_until": "2026-11-01T07:00:00+00:00", "new": 1, "unchanged": 13,
     "rows": 40312, "requests": 0, "dollars": "0", "error": ""}

`at` is UTC and ISO, `dollars` decimal text; `error` is empty after success, else its first line.
The first of the two is written before anything is asked and has `UNFINISHED` for an error, so a
pull that was cut off shows as unfinished. `window` names the days asked for, where any were. Where
one `[[sources]]` entry stands for many, `account` and `region` say which one it was. A line with
`removed` is no pull: the config had this location before, and no longer has it.
Only appended to; `models.raw.pulls.feed_states` reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ingest.paid_requests import ledger
from ingest.source import Source, Window
from models.config import cron as crontab
from models.raw.pulls.feed_states import GRACE, FeedJournal
from models.raw.pulls.pull_journal import JOURNAL_FILE, REMOVED, UNFINISHED, Feed, feed_of


@dataclass(frozen=True)
class PullRecord:
    """Writes the two journal lines of one pull of one source: its beginning and its end."""

    folder: Path
    source: Source
    window: Window
    cron: str
    whose: Mapping[str, object]

    @property
    def feed(self) -> Feed:
        """Returns this pull's feed as the journal names it: source, location, account, region."""
        return feed_of(self._about)

    def begin(self) -> None:
        """Writes to the journal that a pull begins."""
        self._note(datetime.now(UTC), {"new": 0, "error": UNFINISHED})

    def end(self, brought: Mapping[str, object]) -> None:
        """Writes to the journal that a pull ended, and what it delivered."""
        now = datetime.now(UTC)
        self._note(now, {"fresh_until": fresh_until(self.cron, now), **brought})

    def _note(self, at: datetime, fields: Mapping[str, object]) -> None:
        line = {"at": at.isoformat(timespec="seconds"), **self._about, "window": str(self.window)}
        ledger.append(self.folder / JOURNAL_FILE, {**line, **fields})

    @property
    def _about(self) -> dict[str, object]:
        return {"source": self.source.name, "location": self.source.location, **self.whose}


def record_removed(folder: Path, names: Collection[str], sources: Collection[Source]) -> None:
    """Writes to the journal which feeds of the named sources the config no longer has.

    `sources` are all that it has of these names. Otherwise the failure of a location that was
    corrected would be told as if it still failed.
    """
    configured = {(source.name, source.location) for source in sources}
    for feed in FeedJournal(folder).pulled():
        if feed.source in names and (feed.source, feed.location) not in configured:
            at = datetime.now(UTC).isoformat(timespec="seconds")
            line = {"at": at, "source": feed.source, "location": feed.location, "error": ""}
            ledger.append(folder / JOURNAL_FILE, {**line, REMOVED: True})


def fresh_until(cron: str, success: datetime) -> str | None:
    """Returns, as ISO text, when a feed gets stale: a grace time after its next run; else None.

    None is for a cron that never fires again.
    """
    due = crontab.after(crontab.trigger(cron), success)
    return (due + GRACE).isoformat(timespec="seconds") if due else None
