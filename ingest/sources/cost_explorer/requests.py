"""What Cost Explorer is asked, exactly: these requests, and no other, are a bill.

A request groups by two keys at most, costs $0.01 a page, and may span many months, so that only its
last page is not full. `[U]` are the record types that say Usage by themselves, `[C]` those of usage
that a Savings Plan or a reservation covered, `[R]` refunds, `[D]` discounts, as AWS names them in
the window; everything else, known or new, is "the rest". `[D]` are asked for apart only where a
month has no net figures: else the discount is in these already, and its own row is in the rest.

| request       | by     | groups                       | filter           | asked when           |
|---------------|--------|------------------------------|------------------|----------------------|
| `pair`        | month  | workload tag × run tag       | none             | every pull, first    |
| record types  | window | (GetDimensionValues)         | none             | a month has news     |
| `run`         | day    | run tag × usage type         | [U], run tag     | some run has spend   |
| `run`         | day    | run tag × usage type         | [C], run tag     | the same, with [C]   |
| `run`         | day    | run tag × usage type         | [R], run tag     | the same, with [R]   |
| `run`         | day    | run tag × usage type         | [D], run tag     | the same, with [D]   |
| `workload`    | day    | workload tag × usage type    | [U], no run tag  | there is other spend |
| `workload`    | day    | workload tag × usage type    | [C], no run tag  | the same, with [C]   |
| `workload`    | day    | workload tag × usage type    | [R], no run tag  | the same, with [R]   |
| `workload`    | day    | workload tag × usage type    | [D], no run tag  | the same, with [D]   |
| `record_type` | day    | record type × usage type     | all the others   | there is a rest      |
| `left`        | month  | run tag × record type        | rest, run tag    | a run is not whole   |
| `account`     | month  | linked account × record type | none             | only as the check    |

Those by day partition the bill: every charge passes exactly one of their filters, whatever
record types AWS invents between two requests, and their sum is held against `pair`, month by month.
`pair` says besides which workload a run belongs to, whether a tag is there at all, and, against
what was delivered before, which months have news: the others are not asked for again.
What none of them can tell is null: resource, list price, invoice, commitment; the account, where
more than one stands behind the caller. A charge of the rest that bears a run's tag stands with no
run, for a third group key would have to say what it was for: `left` tells how much that is, of
which record type, by run and month. It is no charge; `models` flags such runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from ingest import calendar
from ingest.sources.cost_explorer import control_totals, partition
from ingest.sources.cost_explorer import refunds as cost_refunds
from ingest.sources.cost_explorer.lines import (
    METRICS,
    SCHEMA,
    Line,
    Told,
    by_month,
    together,
    value,
)
from ingest.sources.cost_explorer.pages import Answers, CutOffError, Group, Period
from ingest.sources.cost_explorer.partition import DISCOUNT, RECORD_TYPE, REFUND, Part


def unknown(_: str) -> None:
    """Nothing is known of a month."""


@dataclass(frozen=True)
class Bill:
    """The bill of one account, up to and with `today`."""

    answers: Answers
    account: str
    workload_key: str
    run_key: str
    today: date
    known: Callable[[str], pa.Table | None] = unknown
    """The refunds of a month as they were told lately; None where they are to be told anew."""

    @property
    def tag_keys(self) -> str:
        """What stands in `tag_key` where both tags were asked for."""
        return f"{self.workload_key}, {self.run_key}"

    def pairs(self, months: Sequence[str]) -> Told:
        """What each workload and run tag came to in each month, for one request."""
        groups = [partition.tag(self.workload_key), partition.tag(self.run_key)]
        request = self._request(months, "MONTHLY", groups)
        return by_month(months, self._lines(request, self._pair))

    def accounts(self, months: Sequence[str]) -> Told:
        """What each linked account was billed in each month, by record type, for one request."""
        groups = [partition.dimension("LINKED_ACCOUNT"), partition.dimension("RECORD_TYPE")]
        request = self._request(months, "MONTHLY", groups)
        return by_month(months, self._lines(request, partition.account))

    def record_types(self, months: Sequence[str]) -> list[str]:
        """Every record type of these months, in AWS's own words."""
        return self.answers.values("RECORD_TYPE", self.period(months))

    def days(self, months: Sequence[str], pairs: Told, types: Sequence[str]) -> Told:
        """Every group of every day of these months, `pairs` included; months are adjoining.

        Raises `TooLongError`, `ExpiredError`, `CutOffError`.
        """
        parts = self.parts(months, pairs, types)
        told = [together(months, pairs), *self._told(months, pairs, types, parts)]
        rest = next((part for part in parts if part.request == RECORD_TYPE), None)
        if rest and control_totals.left(told[0], pa.concat_tables(told)):
            beyond = {"And": [rest.filter, {"Not": self._runless}]}
            groups = [partition.tag(self.run_key), partition.dimension("RECORD_TYPE")]
            request = self._request(months, "MONTHLY", groups, beyond)
            told.append(self._lines(request, self._beyond))
        return by_month(months, pa.concat_tables(told))

    def _told(
        self, months: Sequence[str], pairs: Told, types: Sequence[str], parts: list[Part]
    ) -> list[pa.Table]:
        """What each of the requests by day tells; refunds as they are known, if they still are."""
        refunds = [part for part in parts if part.record_class == REFUND]
        held = [self.known(month) for month in months] if refunds else [None]
        if any(lines is None for lines in held):
            return self._asked(months, parts)
        others = [p for p in parts if p not in refunds and p.request != RECORD_TYPE]
        whole = together(months, pairs)
        classes = partition.classes(whole, types)
        kinds = classes.pop(REFUND)
        everything = partition.others([name for values in classes.values() for name in values])
        rest, *told = self._asked(months, [everything, *others], len(refunds))
        rest, refunded = cost_refunds.parted(rest, kinds)
        known = cost_refunds.still(pa.concat_tables([x for x in held if x is not None]), whole)
        same = cost_refunds.alike(refunded, known)
        if same and not control_totals.left(whole, pa.concat_tables([*told, known])):
            return [rest, *told, known]
        return [rest, *told, *self._asked(months, refunds)]

    def _asked(self, months: Sequence[str], parts: list[Part], more: int = 0) -> list[pa.Table]:
        """What each tells; `more` is how many may have to be asked besides."""
        told = []
        for number, part in enumerate(parts, start=1):
            request = self._request(months, "DAILY", list(part.groups), part.filter)
            left = len(parts) - number + more
            try:
                told.append(self._lines(request, part.line, left if len(months) > 1 else None))
            except CutOffError as error:
                raise CutOffError(error, error.to_come + left, error.pages) from None
        return told

    def period(self, months: Sequence[str]) -> Period:
        """From the first of these months to the last; AWS leaves out the end."""
        first, after = calendar.bounds(min(months))[0], calendar.bounds(max(months))[1]
        after = min(after, self.today + timedelta(days=1))
        return {"Start": first.isoformat(), "End": after.isoformat()}

    def parts(self, months: Sequence[str], pairs: Told, types: Sequence[str]) -> list[Part]:
        """The requests by day that can have an answer."""
        whole = together(months, pairs)
        spent = {"run" if run else "workload" for run in whole["run"].to_pylist()}
        if not spent:
            return []
        classes = partition.classes(whole, types)
        found = [
            self._part(request, name, values)
            for request in ("run", "workload")
            for name, values in classes.items()
            if request in spent and values
        ]
        asked = [name for values in classes.values() for name in values]
        if set(types) - set(asked):
            found.append(partition.others(asked))
        return found

    def _part(self, request: str, record_class: str, types: Sequence[str]) -> Part:
        key = self.run_key if request == "run" else self.workload_key
        tagged = {"Not": self._runless} if request == "run" else self._runless
        kinds = {REFUND: types[0], DISCOUNT: ", ".join(types)}
        kind = {"record_type": kinds[record_class]} if record_class in kinds else {}

        def read(keys: list[str]) -> Line:
            owner = {request: value(key, keys[0])}
            return {"tag_key": key, "usage_type": keys[1], **owner, **kind}

        groups = (partition.tag(key), partition.dimension("USAGE_TYPE"))
        return Part(request, record_class, groups, {"And": [partition.typed(types), tagged]}, read)

    @property
    def _runless(self) -> dict[str, Any]:
        return {"Tags": {"Key": self.run_key, "MatchOptions": ["ABSENT"]}}

    def _request(
        self,
        months: Sequence[str],
        granularity: str,
        groups: list[dict[str, str]],
        filter_: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        request = {
            "TimePeriod": self.period(months),
            "Granularity": granularity,
            "Metrics": list(METRICS),
            "GroupBy": groups,
        }
        return request | ({"Filter": filter_} if filter_ else {})

    def _pair(self, keys: list[str]) -> Line:
        return {
            "request": "pair",
            "tag_key": self.tag_keys,
            "workload": value(self.workload_key, keys[0]),
            "run": value(self.run_key, keys[1]),
        }

    def _beyond(self, keys: list[str]) -> Line:
        run = value(self.run_key, keys[0])
        return {"request": "left", "tag_key": self.run_key, "run": run, "record_type": keys[1]}

    def _lines(
        self,
        request: dict[str, Any],
        read: Callable[[list[str]], Line],
        beside: int | None = None,
    ) -> pa.Table:
        """The answer, page by page as columns: a year's groups are many."""

        def keep(groups: list[Group]) -> pa.Table:
            rows = [self._line(group, read(group.keys)) for group in groups]
            return pa.Table.from_pylist(rows, schema=SCHEMA)

        return pa.concat_tables(self.answers.groups(request, keep, beside=beside))

    def _line(self, group: Group, keys: Line) -> Line:
        month = f"{group.start[:7]}-01"
        when = {"account": self.account, "month": month, "day": group.start}
        state = {"estimated": "true" if group.estimated else "false"}
        given = {name: group.metrics[name] for name in METRICS if name in group.metrics}
        amounts = {METRICS[name]: metric["Amount"] for name, metric in given.items()}
        currency = {"currency": group.metrics["AmortizedCost"]["Unit"]}
        return when | state | keys | currency | amounts
