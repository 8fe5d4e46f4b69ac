"""Reads the values of a W&B run's metrics: all at first, later only those that are new.

Whole means without sampling: where an answer may be a sample, its range of steps is halved and
asked for again. What is known is kept if its newest value is still there as it was; a run that was
rewound is read anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import Any, NamedTuple

from ingest.sources.progress.wandb.graphql import GraphQL
from ingest.sources.progress.wandb.listed_run import BEYOND, ListedRun
from ingest.sources.progress.wandb.metric_names import STEP, MetricNames
from ingest.trackers.max_steps import EPOCH, is_share
from ingest.trackers.tracked_runs import instant

TIME = "_timestamp"
SAMPLES = 1000
"""Steps that an answer may have of one metric; W&B's client asks for as many."""
SERIES = 8
"""Ranges of steps in one request."""
MOST_REQUESTS = 20_000
"""Requests for one run: enough for some ten million values."""
NOT_FINITE = ("NaN", "Infinity", "-Infinity")
NO_NUMBER = "that are not numbers"
SHARE = "equal to the share of max_steps that is done, so no epochs"
Row = dict[str, Any]


class Point(NamedTuple):
    """A value that a run logged: W&B's step, time (UTC), value, training step."""

    history_step: int
    timestamp: datetime
    value: float
    step: int | None

    def same(self, other: Point) -> bool:
        """Whether two logged values are equal in all fields; NaN equals NaN."""
        return repr(self) == repr(other)


@dataclass(frozen=True)
class Span:
    """A range of W&B's steps, both ends included, of one series to be requested."""

    name: str
    first: int
    last: int

    @property
    def spec(self) -> Row:
        """The range as a request to W&B's `sampledHistory` (a dict)."""
        keys = list(dict.fromkeys((STEP, TIME, self.name)))
        return {"keys": keys, "minStep": self.first, "maxStep": self.last, "samples": SAMPLES}

    def whole(self, rows: Sequence[Row]) -> bool:
        """Whether the returned rows are all of the range, not only a sample of it.

        A sample has about as many rows as were asked for; half as many are none.
        """
        return 2 * len(rows) <= SAMPLES or self.last - self.first < SAMPLES

    @property
    def halves(self) -> tuple[Span, Span]:
        """Splits the range into two halves."""
        middle = (self.first + self.last) // 2
        return Span(self.name, self.first, middle), Span(self.name, middle + 1, self.last)


@dataclass(frozen=True)
class History:
    """Reads what one W&B run logged of the wanted metrics, with the training step of each value."""

    server: GraphQL
    project: str
    run: ListedRun
    names: MetricNames

    def points(
        self, known: Mapping[str, Sequence[Point]], left_out: Counter[tuple[str, str]]
    ) -> dict[str, list[Point]] | None:
        """Maps each metric to its points in order of steps: known and new; None if run is gone.

        Reads all of them again where the last known one is not the same any more. None for a run
        that was deleted meanwhile. `left_out` counts by metric and reason the new values that are
        none.
        """
        names = self.names.series(self.run)
        newest = {metric: known[metric][-1] for metric in names if known.get(metric)}
        first = dict.fromkeys(names.values(), 0)
        first |= {names[metric]: point.history_step for metric, point in newest.items()}
        read = self._read(first)
        if read is None:
            return None
        found: Counter[tuple[str, str]] = Counter()
        new = {metric: self._new(metric, name, read, found) for metric, name in names.items()}
        for metric, before in newest.items():
            if not new[metric] or not new[metric][0].same(before):
                return self.points({}, left_out)
            found[metric, SHARE] -= isnan(before.value) and found[metric, SHARE] > 0  # told of then
        left_out.update(found)
        return {metric: [*known.get(metric, ())[:-1], *new[metric]] for metric in names}

    def _new(
        self, metric: str, name: str, read: Mapping[str, Sequence[Row]], left_out: Counter[Any]
    ) -> list[Point]:
        """Converts a metric's rows to points; counts the rows that are none in `left_out`."""
        step = self.names.step(self.run)
        steps = {row[STEP]: row.get(step) for row in read[step]} if step else {}
        rows = self._with_shares_unknown(read[name], name, steps)
        points = list(_points(rows, name, steps))
        shares = (row is not given for row, given in zip(rows, read[name], strict=True))
        left_out[metric, SHARE] += sum(shares)
        left_out[metric, NO_NUMBER] += len(rows) - len(points)
        return points

    def _with_shares_unknown(
        self, rows: Sequence[Row], name: str, steps: Mapping[int, object]
    ) -> Sequence[Row]:
        """Replaces epochs that are really the share of `max_steps` done by NaN in rows.

        Nobody knows the epochs of such a run; its steps may count.
        """
        most = self.run.max_steps
        if name != EPOCH.decode() or not most:
            return rows
        numbers = [(row, number(row.get(name)), _whole(steps.get(row[STEP]))) for row in rows]
        return [
            row | {name: NOT_FINITE[0]} if is_share(epoch or 0, step or 0, most) else row
            for row, epoch, step in numbers
        ]

    def _read(self, first: dict[str, int]) -> dict[str, list[Row]] | None:
        """Maps each series to its rows from a given step on; None if the run is gone.

        The training step is among them, from the earliest of these steps on.
        """
        if step := self.names.step(self.run):
            first = {step: min(first.values()), **first}
        last = BEYOND if self.run.last_step is None else self.run.last_step
        found: dict[str, dict[int, Row]] = {name: {} for name in first}
        waiting = [Span(name, at, max(last, at)) for name, at in first.items()]
        requests = 0
        while waiting:
            requests += 1
            if requests > MOST_REQUESTS:
                much = f"a history of {self.run.name} that takes over {MOST_REQUESTS:,} requests"
                raise self.server.refused("history", much)
            asked, waiting = waiting[:SERIES], waiting[SERIES:]
            answers = self.server.histories(self.project, self.run.id, [one.spec for one in asked])
            if answers is None:
                return None
            for span, rows in zip(asked, answers, strict=True):
                if span.whole(rows):
                    found[span.name] |= _by_step(rows)
                else:
                    waiting += span.halves
        return {name: [rows[at] for at in sorted(rows)] for name, rows in found.items()}


def _by_step(rows: Sequence[Row]) -> dict[int, Row]:
    """Maps W&B's step (as a whole number) to the row with it; other rows are left out."""
    steps = [_whole(row.get(STEP)) for row in rows]
    return {at: row | {STEP: at} for at, row in zip(steps, rows, strict=True) if at is not None}


def _points(rows: Sequence[Row], name: str, steps: Mapping[int, object]) -> Iterator[Point]:
    """Yields a point per row of a metric that has a number and a time."""
    for row in rows:
        value, seconds = number(row.get(name)), number(row.get(TIME))
        if value is not None and seconds is not None and not isnan(seconds):
            moment = instant(seconds).replace(tzinfo=None)
            yield Point(row[STEP], moment, value, _whole(steps.get(row[STEP])))


def number(held: object) -> float | None:
    """Returns a logged value as a float; None if it is no number or too large for a float.

    NaN and infinities are numbers, which W&B sends as texts.
    """
    if isinstance(held, bool) or not isinstance(held, int | float | str):
        return None
    if isinstance(held, str) and held not in NOT_FINITE:
        return None
    try:
        return float(held)
    except OverflowError:
        return None


def _whole(held: object) -> int | None:
    """Returns a training step; None if it is no whole number that a column can hold."""
    value = number(held)
    return (
        int(value) if value is not None and abs(value) <= BEYOND and value == int(value) else None
    )
