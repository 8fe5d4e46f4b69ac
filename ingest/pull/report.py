"""Reports a pull: its progress step by step, and what each source delivered or failed at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from ingest.paid_requests import ledger
from models.contract.errors import BreakevenError, SeveralError
from models.raw import restated_totals
from models.raw.restated_totals import Change


@dataclass(frozen=True)
class Step:
    """The progress of a pull: source, unit, and how many deliveries are done of how many."""

    source: str
    unit: str
    period: str
    done: int
    total: int
    whose: str = ""
    """The account and region, where the config names them."""

    @property
    def feed(self) -> str:
        """The source's name, with its account and region where the config names them."""
        return f"{self.source} of {self.whose}" if self.whose else self.source

    def __str__(self) -> str:
        """Formats the pull's progress as a log line: `focus: export 2026-09 (3 of 13)`."""
        of = f" ({self.done + 1} of {self.total})" if self.total else ""
        return f"{self.feed}: {self.unit} {self.period}{of}"


Tell = Callable[[Step], None]


@dataclass
class Result:
    """What a pull of one source delivered: deliveries, new rows, dollars paid, errors.

    `source` is the name in the config, else the kind; empty for a failure of no single source.
    """

    source: str
    kind: str = ""
    location: str = ""
    account: str = ""
    region: str = ""
    new: int = 0
    unchanged: int = 0
    rows: int = 0
    requests: int = 0
    dollars: Decimal = Decimal(0)
    errors: list[BreakevenError] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    restated: list[Change] = field(default_factory=list)

    def __str__(self) -> str:
        """Formats what a source delivered as a log line: `cloudwatch of …: 1 new, …`."""
        place = " in ".join(filter(None, (self.account, self.region)))
        paid = f", {self.cost_summary}" if self.requests else ""
        return f"{self.source}{f' of {place}' if place else ''}: {self.summary}{paid}"

    @property
    def summary(self) -> str:
        """Returns text: how much a pulled source delivered and how much failed."""
        came = f"{self.new} new, {self.unchanged} unchanged, {self.rows} rows"
        if not self.errors:
            return came
        return f"{came}, {len(self.errors)} failed" if self.new or self.unchanged else "failed"

    @property
    def cost_summary(self) -> str:
        """Returns text: what a source's requests cost, such as `3 paid requests, $0.03`."""
        return f"{ledger.format_count(self.requests)}, ${ledger.format_dollars(self.dollars)}"

    @property
    def failures(self) -> list[BreakevenError]:
        """The errors of a pulled source, each beginning with the source's name."""
        return [
            e if str(e).startswith(self.source) else e.prefixed(self.source) for e in self.errors
        ]

    @property
    def whose(self) -> dict[str, object]:
        """Account and region of the pulled source, as a dict; empty where no account is named."""
        return {"account": self.account, "region": self.region} if self.account else {}

    def counts(self) -> dict[str, object]:
        """Returns what a source delivered as fields of a journal line."""
        return {
            "new": self.new,
            "unchanged": self.unchanged,
            "rows": self.rows,
            "requests": self.requests,
            "dollars": ledger.format_dollars(self.dollars),
            "error": str(self.errors[0]) if self.errors else "",
            "notices": self.notices,
        }


@dataclass(frozen=True)
class Report:
    """What a whole pull delivered, source by source in the order of the config."""

    results: tuple[Result, ...]

    @property
    def errors(self) -> list[BreakevenError]:
        """The errors that a pull met, of all its sources in order; empty if none failed."""
        return [error for result in self.results for error in result.errors]

    def lines(self) -> list[str]:
        """Formats what a pull delivered as a line of text per source: `focus: 1 new, …`."""
        described = zip(self.documents(), self.results, strict=True)
        return [
            f"{document['called']}: {result.summary}, {result.cost_summary}"
            for document, result in described
            if result.source
        ]

    def documents(self) -> list[dict[str, object]]:
        """Returns what a pull delivered as JSON-ready dicts, one per source."""
        names = [result.source for result in self.results]
        return [
            {
                "source": result.source,
                "kind": result.kind,
                "location": result.location,
                "called": f"{result.source} ({result.location})"
                if names.count(result.source) > 1
                else result.source,
                **result.whose,
                **result.counts(),
                "restated": [change.document() for change in result.restated],
                "errors": [str(error) for error in result.errors],
            }
            for result in self.results
        ]

    def restated(self) -> list[str]:
        """Returns a line of text per source and month whose bill a delivery changed."""
        return [
            f"{result.source} {line}"
            for result in self.results
            for line in restated_totals.lines(result.restated)
        ]

    def raise_failures(self) -> None:
        """Raises the one error of a pull, or one that lists several; nothing if none failed."""
        failures = [failure for result in self.results for failure in result.failures]
        if len(failures) == 1:
            raise failures[0]
        if failures:
            failed = sorted({result.source for result in self.results if result.errors})
            raise SeveralError(f"{len(failures)} deliveries failed ({', '.join(failed)})", failures)


def report_of(error: BreakevenError, report: Report | None = None) -> Report:
    """Returns the report of a pull that an error ended: its results so far, and the error."""
    return Report((*(report.results if report else ()), Result("", errors=[error])))
