"""Parses a `trainer_state.json` of Transformers' Trainer, and says what is wrong with one."""

from __future__ import annotations

import json
import math
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from textwrap import shorten
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from ingest.files.store import FileEntry, Store
from models.contract.errors import InputError

ENDLESS = 2**31
"""With data of no length the Trainer plans `sys.maxsize` epochs, and `epoch` is none."""
MOST_STEPS = 2**53
EPOCH, TOKENS = "epoch", "num_input_tokens_seen"
Entry = dict[str, Any]
"""What the Trainer logged at a step: values by name, and `step`."""


class State(BaseModel):
    """The fields of a `trainer_state.json` that are read.

    `num_input_tokens_seen` is 0 where the trainer does not count tokens.
    """

    log_history: list[Entry]
    global_step: Annotated[int, Field(ge=0, lt=MOST_STEPS)]
    epoch: float | None = None
    num_input_tokens_seen: int | float | None = 0
    num_train_epochs: int | float | None = 0


@dataclass(frozen=True)
class StateFile:
    """A `trainer_state.json` that was read: its path and its content."""

    uri: str
    state: State

    @classmethod
    def read(cls, store: Store, file: FileEntry) -> StateFile:
        """Reads a `trainer_state.json`; `InputError` with what is wrong with it."""
        try:
            content = store.read(file).removeprefix(BOM_UTF8)
            return cls(file.uri, State.model_validate_json(content, strict=True))
        except ValidationError as error:
            wrong = error.errors(include_url=False)[0]
        where = f"{'.'.join(map(str, wrong['loc']))}: " if wrong["loc"] else ""
        raise _unreadable(file.uri, f"{where}{wrong['msg']}")

    @cached_property
    def entries(self) -> list[Entry]:
        """The log's entries, and a last one with the file's own step, epoch and tokens.

        When it was written, the run may have been further than its last log entry.
        """
        now: Entry = {"step": self.state.global_step, EPOCH: self.state.epoch}
        if self.state.num_input_tokens_seen:
            now[TOKENS] = self.state.num_input_tokens_seen
        return [*self.state.log_history, now]

    @property
    def is_endless(self) -> bool:
        """Whether the data had no length, so that `epoch` is only the share of `max_steps` done."""
        return (self.state.num_train_epochs or 0) >= ENDLESS

    @property
    def first_step(self) -> int:
        """The smallest step of the log."""
        return min(self._step(number) for number in range(len(self.entries)))

    @property
    def began(self) -> str | None:
        """A hash of the log's first entry; None if it has none."""
        history = self.state.log_history
        return sha256(canonical(history[0]).encode()).hexdigest() if history else None

    def values(self, number: int, metrics: Collection[str]) -> Iterator[Entry]:
        """Yields a row per metric asked for that one log entry has a value of.

        A null value is unknown and has no row. Epochs of data without a length are `NaN`: nobody
        knows them, but the step counts. Raises `InputError` for a value that is no number.
        """
        entry, step = self.entries[number], self._step(number)
        for metric in sorted(entry.keys() & set(metrics)):
            value = entry[metric]
            if isinstance(value, bool) or not isinstance(value, int | float | None):
                raise self._wrong(number, metric, "number")
            unknown = metric == EPOCH and self.is_endless
            if value is not None:
                known = math.nan if unknown else _double(value)
                yield {"entry": number, "step": step, "metric": metric, "value": known}

    def _step(self, number: int) -> int:
        step = self.entries[number].get("step")
        if isinstance(step, bool) or not isinstance(step, int) or not 0 <= step < MOST_STEPS:
            raise self._wrong(number, "step", "count of steps")
        return step

    def _wrong(self, number: int, name: str, expected: str) -> InputError:
        given = shorten(json.dumps(self.entries[number].get(name)), 60)
        return _unreadable(self.uri, f"log_history.{number}.{name}: {given} is not a {expected}")


def _double(value: float) -> float:
    """Returns a number as a double; infinity for an integer beyond all doubles."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def canonical(entry: Entry) -> str:
    """Returns an entry as JSON with sorted keys, so that equal entries are equal texts."""
    return json.dumps(entry, sort_keys=True)


def _unreadable(uri: str, value: str) -> InputError:
    remedy = "deliver what the Trainer wrote, whole"
    return InputError(f"cannot read {uri}", value=value, remedy=remedy)
