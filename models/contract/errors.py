"""Defines every error that a user can meet, as one small tree.

    BreakevenError                a stated failure: what, the value, the remedy; exit 1
    ├── ConfigError               the config or the environment has an invalid value
    ├── InputError                delivered bytes that cannot be trusted (file, value, remedy)
    │   └── CurrencyError         a second currency in one warehouse
    ├── MissingDataError          the data asked for was not delivered or built yet
    ├── BusyError                 another process holds the warehouse
    ├── StorageError              the disk refused: full, read-only, or a damaged file
    ├── SourceError               a feed did not answer, or refused the request
    │   ├── BudgetError           the next paid request would pass the daily dollar cap
    │   └── SeveralError          several deliveries failed, each for its own reason
    ├── CloseError                a month cannot be closed, or a close cannot be reproduced
    │   └── NotReadyError         conditions of a close are not met, each for its own reason
    ├── SendError                 a recipient could not be sent a statement
    ├── DialectError              a number cannot be computed in this SQL dialect
    └── EngineError               Spark is not installed, does not answer, or failed

Each message is one line. A user's mistake raises nothing else, so any traceback on the
terminal is a defect.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class BreakevenError(Exception):
    """A stated failure. `str(error)` is one line: what, the value, the remedy.

    `problem` is that line without `remedy`.
    """

    def __init__(self, what: str, *, value: object = None, remedy: str = "") -> None:
        shown = "" if value is None else f": {value}"
        advice = f" ({remedy})" if remedy else ""
        self.problem, self.remedy = " ".join(f"{what}{shown}".split()), remedy
        super().__init__(" ".join(f"{what}{shown}{advice}".split()))

    def prefixed(self, whom: str) -> Self:
        """Returns the same error with `whom` in front; unchanged if that is empty."""
        if whom:
            self.args, self.problem = (f"{whom}: {self}",), f"{whom}: {self.problem}"
        return self

    @property
    def lines(self) -> tuple[str, ...]:
        """The messages to print: one line for each thing that failed."""
        return (str(self),)


class ConfigError(BreakevenError):
    """The config or the environment has an invalid value."""


class InputError(BreakevenError):
    """Delivered bytes that cannot be trusted; nothing of them was kept."""


class CurrencyError(InputError):
    """A second currency in one warehouse."""


class MissingDataError(BreakevenError):
    """The data asked for was not delivered or built yet."""


class BusyError(BreakevenError):
    """Another process holds the warehouse; the message names it."""


class StorageError(BreakevenError):
    """The disk refused: full, read-only, or a file on it is damaged."""


class SourceError(BreakevenError):
    """A feed did not answer, or refused the request."""


class BudgetError(SourceError):
    """The next paid request would pass `cost.api_budget_usd_per_day`."""


class SeveralError(SourceError):
    """More than one delivery failed; `str(error)` counts them, `lines` has each one's reason."""

    def __init__(self, what: str, reasons: Iterable[BreakevenError]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(f"{what}, first", value=self.reasons[0])

    @property
    def lines(self) -> tuple[str, ...]:
        """The reason of each failed delivery."""
        return tuple(str(reason) for reason in self.reasons)


class CloseError(BreakevenError):
    """A month cannot be closed, or its deliveries no longer give the closed figures."""


class NotReadyError(CloseError):
    """Conditions of a close that are not met; `lines` has each."""

    def __init__(self, what: str, missing: Iterable[str]) -> None:
        self.missing = tuple(missing)
        self.what = what
        super().__init__(what, value="; ".join(self.missing))

    @property
    def lines(self) -> tuple[str, ...]:
        """Each condition that is not met."""
        return tuple(f"{self.what}: {condition}" for condition in self.missing)


class SendError(BreakevenError):
    """A recipient could not be sent a statement; nothing of it went out."""


class DialectError(BreakevenError):
    """A number cannot be computed in this SQL dialect."""


class EngineError(BreakevenError):
    """Spark is not installed, does not answer, or failed."""
