"""Defines every error that a user can meet, as one small tree.

    BreakevenError                a stated failure: what, the value, the remedy; exit 1
    ├── ConfigError               the config or the environment has an invalid value
    ├── InputError                delivered bytes that cannot be trusted (file, value, remedy)
    ├── MissingDataError          the data asked for was not delivered or built yet
    ├── BusyError                 another process holds the warehouse
    ├── StorageError              the disk refused: full, read-only, or a damaged file
    │   └── AuditError            a line of the audit trail was lost or changed
    ├── SourceError               a feed did not answer, or refused the request
    │   ├── BudgetError           paid requests of a fetch would pass the daily dollar cap
    │   └── SeveralError          several deliveries failed, each for its own reason
    ├── CloseError                a month cannot be closed, or a close cannot be reproduced
    │   └── NotReadyError         conditions of a close are not met, each for its own reason
    ├── AccessError               who acts may not do this
    ├── SendError                 a letter could not be sent to a recipient
    ├── DialectError              a number cannot be computed in this SQL dialect
    └── EngineError               Spark is not installed, does not answer, or failed

Each message is one line. A user's mistake raises nothing else, so any traceback on the
terminal is a defect.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from models.contract.safe_text import on_one_line, without_credentials


class BreakevenError(Exception):
    """An error shown to the user as one line: what failed, the value, and the remedy.

    `str(error)` is that line; `problem` is the line without `remedy`. Credentials in URLs are
    hidden and control characters escaped, wherever the value came from.
    """

    def __init__(self, what: str, *, value: object = None, remedy: str = "") -> None:
        shown = "" if value is None else f": {value}"
        advice = f" ({remedy})" if remedy else ""
        self.problem, self.remedy = _line(f"{what}{shown}"), without_credentials(remedy)
        super().__init__(_line(f"{what}{shown}{advice}"))

    def prefixed(self, whom: str) -> Self:
        """Puts a name before this error's message and returns the error; "" changes nothing."""
        if whom:
            self.args = (_line(f"{whom}: {self}"),)
            self.problem = _line(f"{whom}: {self.problem}")
        return self

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns the lines to print: this error's message; subclasses may have one per failure."""
        return (str(self),)


def _line(text: str) -> str:
    return on_one_line(without_credentials(" ".join(text.split())))


class ConfigError(BreakevenError):
    """The configuration file or the environment has an invalid value."""


class InputError(BreakevenError):
    """Delivered data is damaged or wrong; it was refused and none of it was stored."""


class MissingDataError(BreakevenError):
    """The data asked for was not delivered or built yet."""


class BusyError(BreakevenError):
    """Another process writes the warehouse, or runs as scheduler; the message names it."""


class StorageError(BreakevenError):
    """The disk cannot be written (full, read-only), or a file is damaged or of a newer version."""


class AuditError(StorageError):
    """Lines of the audit trail were lost or changed; `lines` names each place."""

    def __init__(self, path: object, faults: Iterable[str]) -> None:
        self.faults, self.path = tuple(faults), path
        super().__init__(f"{path} is not as it was written", value=self.faults[0])

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns a line per place of the audit trail that was lost or changed."""
        return tuple(_line(f"{self.path}: {fault}") for fault in self.faults)


class SourceError(BreakevenError):
    """A data source (AWS, MLflow, …) did not answer, or refused the request."""


class BudgetError(SourceError):
    """A fetch's paid AWS requests would exceed the daily cap `cost.api_budget_usd_per_day`."""


class SeveralError(SourceError):
    """Several pulls or sendings failed; `str(error)` counts them, `lines` has each one's reason."""

    def __init__(self, what: str, reasons: Iterable[BreakevenError]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(f"{what}, first", value=self.reasons[0])

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns the reason of each failed pull or sending, one line each."""
        return tuple(str(reason) for reason in self.reasons)


class CloseError(BreakevenError):
    """A month cannot be closed, or its closed figures cannot be recomputed."""


class NotReadyError(CloseError):
    """A month cannot be closed yet; `lines` has each condition that is not met."""

    def __init__(self, what: str, missing: Iterable[str]) -> None:
        self.missing = tuple(missing)
        self.what = what
        super().__init__(what, value="; ".join(self.missing))

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns a line per condition that is not met for closing the month: `what: condition`."""
        return tuple(_line(f"{self.what}: {condition}") for condition in self.missing)


class AccessError(BreakevenError):
    """The person who acts lacks the role that this action needs."""


class SendError(BreakevenError):
    """A letter, such as a statement or a digest, could not be sent to a recipient."""


class DialectError(BreakevenError):
    """The query of a mart cannot be expressed in this SQL dialect."""


class EngineError(BreakevenError):
    """Spark is not installed, does not answer, or failed."""
