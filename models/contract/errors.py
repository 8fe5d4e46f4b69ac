"""Every failure a user can meet, as one small tree.

    BreakevenError                a stated failure: what, the value, the remedy; exit 1
    ├── ConfigError               the config or the environment says something that cannot be
    ├── InputError                delivered bytes that cannot be trusted (file, value, remedy)
    │   └── CurrencyError         a second currency in one warehouse
    ├── MissingDataError          asked for something that nobody has delivered yet
    ├── BusyError                 another process holds the warehouse
    ├── StorageError              the disk refused: full, read-only, or a damaged file
    ├── SourceError               a feed did not answer, or refused us
    │   ├── BudgetError           the next paid request would pass the daily dollar cap
    │   └── SeveralError          more than one delivery failed, each for its own reason
    ├── CloseError                a month cannot be closed, or a close does not agree
    │   └── NotReadyError         what must hold before a close does not, each for its own reason
    ├── SendError                 a recipient could not be sent a statement
    ├── DialectError              an engine cannot say this number
    └── EngineError               Spark is not installed, does not answer, or gave up

Each message is one line. Nothing else is raised for a user's mistake, so nothing else
may reach the terminal as a traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class BreakevenError(Exception):
    """A stated failure. `str(error)` is one line: what, the value, the remedy.

    `said` is that line without `remedy`.
    """

    def __init__(self, what: str, *, value: object = None, remedy: str = "") -> None:
        shown = "" if value is None else f": {value}"
        advice = f" ({remedy})" if remedy else ""
        self.said, self.remedy = " ".join(f"{what}{shown}".split()), remedy
        super().__init__(" ".join(f"{what}{shown}{advice}".split()))

    def of(self, whom: str) -> Self:
        """The same failure, that says first whose it is; nothing more where nobody is named."""
        if whom:
            self.args, self.said = (f"{whom}: {self}",), f"{whom}: {self.said}"
        return self

    @property
    def lines(self) -> tuple[str, ...]:
        """What a person is told: one line for each thing that failed."""
        return (str(self),)


class ConfigError(BreakevenError):
    """The config or the environment says something that cannot be."""


class InputError(BreakevenError):
    """Delivered bytes that cannot be trusted; nothing of them was kept."""


class CurrencyError(InputError):
    """A second currency in one warehouse."""


class MissingDataError(BreakevenError):
    """Asked for something that nobody has delivered or built yet."""


class BusyError(BreakevenError):
    """Another process holds the warehouse; the message names it."""


class StorageError(BreakevenError):
    """The disk refused: full, read-only, or a file on it is damaged."""


class SourceError(BreakevenError):
    """A feed did not answer, or refused us."""


class BudgetError(SourceError):
    """The next paid request would pass `cost.api_budget_usd_per_day`."""


class SeveralError(SourceError):
    """More than one delivery failed; `str(error)` counts them, `lines` has each one's reason."""

    def __init__(self, what: str, reasons: Iterable[BreakevenError]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(f"{what}, first", value=self.reasons[0])

    @property
    def lines(self) -> tuple[str, ...]:
        """Each reason."""
        return tuple(str(reason) for reason in self.reasons)


class CloseError(BreakevenError):
    """A month cannot be closed, or a close is not what its deliveries give."""


class NotReadyError(CloseError):
    """Conditions of a close that are not met; `lines` has each."""

    def __init__(self, what: str, missing: Iterable[str]) -> None:
        self.missing = tuple(missing)
        self.what = what
        super().__init__(what, value="; ".join(self.missing))

    @property
    def lines(self) -> tuple[str, ...]:
        """Each condition."""
        return tuple(f"{self.what}: {said}" for said in self.missing)


class SendError(BreakevenError):
    """A recipient could not be sent a statement; nothing of it went out."""


class DialectError(BreakevenError):
    """An engine cannot say this number."""


class EngineError(BreakevenError):
    """Spark is not installed, does not answer, or gave up."""
