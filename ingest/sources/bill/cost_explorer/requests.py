"""Defines the requests to Cost Explorer that together make up one account's bill.

A request groups by two keys at most and costs $0.01 a page. It may span many months, so that only
its last page is not full. `[U]` are the record types whose name says Usage, `[C]` those of usage
that a Savings Plan or a reservation covered, `[R]` refunds, `[D]` discounts, as AWS names them in
the window; all others, known or new, are "the rest". `[D]` are requested apart only where a month
has no net amounts. Otherwise the net amounts include the discount, and its own row is in the rest.

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

The requests by day partition the bill: every charge passes exactly one of their filters, whatever
record types AWS invents between two requests, and their sum is compared with `pair` for each month
(`control_totals`). `pair` also shows which workload a run belongs to, whether a tag exists at all,
and, compared with what was delivered before, which months changed; others are not requested.

What no request returns is null: resource, list price, invoice, commitment; the account, if the
caller pays for more than one. A charge of the rest with a run's tag has no run, because it would
take a third group key to see what it was for: `left` has how much that is per run, month and record
type. Those lines are no charges; `models` flags such runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from ingest import billing_months
from ingest.sources.bill.cost_explorer import control_totals, partition
from ingest.sources.bill.cost_explorer import refunds as cost_refunds
from ingest.sources.bill.cost_explorer.lines import (
    METRICS,
    SCHEMA,
    Line,
    LinesByMonth,
    lines_of_months,
    split_by_month,
    tag_value,
)
from ingest.sources.bill.cost_explorer.pages import CutOffError, Group, PagedAnswers, Period
from ingest.sources.bill.cost_explorer.partition import RECORD_TYPE, REFUND, Part


def no_known_refunds(_: str) -> None:
    """Returns None: the default for a bill whose refunds no earlier pull delivered."""


@dataclass(frozen=True)
class Bill:
    """Requests the bill of one account from Cost Explorer, up to and including `today`."""

    answers: PagedAnswers
    account: str
    workload_key: str
    run_key: str
    today: date
    known_refunds: Callable[[str], pa.Table | None] = no_known_refunds
    """Returns the delivered refunds of a month; None if they must be requested again."""

    @property
    def tag_keys(self) -> str:
        """The keys of the workload and the run tag as one text, as in column `tag_key`."""
        return f"{self.workload_key}, {self.run_key}"

    def tag_totals(self, months: Sequence[str]) -> LinesByMonth:
        """Requests what each pair of workload and run tag cost: a table per month."""
        groups = [partition.tag_group(self.workload_key), partition.tag_group(self.run_key)]
        request = self._request(months, "MONTHLY", groups)
        return split_by_month(months, self._lines(request, self._pair_line))

    def accounts(self, months: Sequence[str]) -> LinesByMonth:
        """Requests what each linked account was billed by record type: a table per month."""
        groups = [
            partition.dimension_group("LINKED_ACCOUNT"),
            partition.dimension_group("RECORD_TYPE"),
        ]
        request = self._request(months, "MONTHLY", groups)
        return split_by_month(months, self._lines(request, partition.account_line))

    def record_types(self, months: Sequence[str]) -> list[str]:
        """Requests the names of the record types that the bill has in some months."""
        return self.answers.values("RECORD_TYPE", self.period(months))

    def days(
        self, months: Sequence[str], tag_totals: LinesByMonth, types: Sequence[str]
    ) -> LinesByMonth:
        """Requests the bill of adjoining months by day: a table per month, totals included.

        `tag_totals` are those totals. Raises `TooLongError`, `ExpiredError`, `CutOffError`.
        """
        parts = self.parts(months, tag_totals, types)
        tables = [
            lines_of_months(months, tag_totals),
            *self._by_part(months, tag_totals, types, parts),
        ]
        rest = next((part for part in parts if part.request == RECORD_TYPE), None)
        if rest and control_totals.some_run_is_incomplete(tables[0], pa.concat_tables(tables)):
            incomplete = {"And": [rest.filter, {"Not": partition.without_tag(self.run_key)}]}
            groups = [partition.tag_group(self.run_key), partition.dimension_group("RECORD_TYPE")]
            request = self._request(months, "MONTHLY", groups, incomplete)
            tables.append(self._lines(request, self._incomplete_run_line))
        return split_by_month(months, pa.concat_tables(tables))

    def _by_part(
        self,
        months: Sequence[str],
        tag_totals: LinesByMonth,
        types: Sequence[str],
        parts: list[Part],
    ) -> list[pa.Table]:
        """Requests the bill by day: a table per request; unchanged refunds are reused instead."""
        refunds = [part for part in parts if part.record_class == REFUND]
        held = [self.known_refunds(month) for month in months] if refunds else [None]
        if any(lines is None for lines in held):
            return self._ask_parts(months, parts)
        others = [p for p in parts if p not in refunds and p.request != RECORD_TYPE]
        whole = lines_of_months(months, tag_totals)
        classes = partition.record_types_by_class(whole, types)
        kinds = classes.pop(REFUND)
        everything = partition.remaining_part(
            [name for values in classes.values() for name in values]
        )
        rest, *tables = self._ask_parts(months, [everything, *others], len(refunds))
        rest, refunded = cost_refunds.split_refunds(rest, kinds)
        known = cost_refunds.with_current_state(
            pa.concat_tables([x for x in held if x is not None]), whole
        )
        same = cost_refunds.same_amounts(refunded, known)
        if same and not control_totals.some_run_is_incomplete(
            whole, pa.concat_tables([*tables, known])
        ):
            return [rest, *tables, known]
        return [rest, *tables, *self._ask_parts(months, refunds)]

    def _ask_parts(self, months: Sequence[str], parts: list[Part], more: int = 0) -> list[pa.Table]:
        """Sends each of the daily requests that make up the bill; returns a table for each."""
        tables = []
        for number, part in enumerate(parts, start=1):
            request = self._request(months, "DAILY", list(part.groups), part.filter)
            left = len(parts) - number + more
            try:
                tables.append(self._lines(request, part.line, left if len(months) > 1 else None))
            except CutOffError as error:
                raise CutOffError(error, error.to_come + left, error.pages) from None
        return tables

    def period(self, months: Sequence[str]) -> Period:
        """Returns `Start` and `End` (exclusive) of a request: some months, at most to today.

        `End` is exclusive, as Cost Explorer wants it.
        """
        first, after = billing_months.bounds(min(months))[0], billing_months.bounds(max(months))[1]
        after = min(after, self.today + timedelta(days=1))
        return {"Start": first.isoformat(), "End": after.isoformat()}

    def parts(
        self, months: Sequence[str], tag_totals: LinesByMonth, types: Sequence[str]
    ) -> list[Part]:
        """Returns the Cost Explorer requests by day that together make up some months' bill."""
        whole = lines_of_months(months, tag_totals)
        return partition.parts(whole, types, self.workload_key, self.run_key)

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

    def _pair_line(self, keys: list[str]) -> Line:
        return {
            "request": "pair",
            "tag_key": self.tag_keys,
            "workload": tag_value(self.workload_key, keys[0]),
            "run": tag_value(self.run_key, keys[1]),
        }

    def _incomplete_run_line(self, keys: list[str]) -> Line:
        run = tag_value(self.run_key, keys[0])
        return {"request": "left", "tag_key": self.run_key, "run": run, "record_type": keys[1]}

    def _lines(
        self,
        request: dict[str, Any],
        read: Callable[[list[str]], Line],
        further_answers: int | None = None,
    ) -> pa.Table:
        """Sends a Cost Explorer request and returns its lines, converted page by page."""

        def keep(groups: list[Group]) -> pa.Table:
            rows = [self._line(group, read(group.keys)) for group in groups]
            return pa.Table.from_pylist(rows, schema=SCHEMA)

        return pa.concat_tables(self.answers.groups(request, keep, further_answers=further_answers))

    def _line(self, group: Group, keys: Line) -> Line:
        month = f"{group.start[:7]}-01"
        when = {"account": self.account, "month": month, "day": group.start}
        state = {"estimated": "true" if group.estimated else "false"}
        given = {name: group.metrics[name] for name in METRICS if name in group.metrics}
        amounts = {METRICS[name]: metric["Amount"] for name, metric in given.items()}
        currency = {"currency": group.metrics["AmortizedCost"]["Unit"]}
        return when | state | keys | currency | amounts
