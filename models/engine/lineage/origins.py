"""Describes where each table of a build is made: file, meaning in one line, and inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from models import formats
from models.contract import catalogue, schema
from models.contract.schema import delivered as delivered_schema
from models.engine.inputs import before_the_reduction, closed_months, feed_history
from models.engine.lineage import shared_machines
from models.engine.mart_runner import STEPS
from models.marts import MARTS, SPEND_REDUCED, Mart, inputs_of

ROOT = Path(__file__).parents[3]


class Origin(NamedTuple):
    """Where a table of the build is made: its kind, source file, meaning and inputs.

    `kind` is `mart` (published), `step` (only the build reads it), `input` (made beside the
    delivered rows, in Python) or `delivered`. `method` is a section of METHOD, empty where none is
    declared.
    """

    name: str
    kind: str
    file: str
    meaning: str
    method: str = ""
    reads: tuple[str, ...] = ()
    mart: Mart | None = None


def origins() -> dict[str, Origin]:
    """Returns, by name, where each table of a build is made: file, meaning and inputs."""
    made = [_mart(mart) for mart in (SPEND_REDUCED, *MARTS)]
    stepped = [
        _python(name, step.run, tuple(sorted(step.reads))) for step in STEPS for name in step.fills
    ]
    written = [_python(name, function) for name, function in _writers().items()]
    delivered = [_delivered(name) for name in schema.DELIVERED]
    divided = [_divided(name) for name in shared_machines.TABLES]
    known = {each.name: each for each in (*delivered, *written, *stepped, *made, *divided)}
    spend = known[SPEND_REDUCED.__name__]
    return known | {spend.name: spend._replace(reads=inputs_of(shared_machines.counted_charges))}


def _writers() -> Mapping[str, Callable[..., Any]]:
    """Returns, by name, the Python function that computes each input table of a build."""
    return {
        **before_the_reduction.TABLES,
        **closed_months.TABLES,
        **feed_history.TABLES,
        "catalog": catalogue.accelerators,
    }


def _mart(mart: Mart) -> Origin:
    name = mart.__name__
    published = name in {**schema.MARTS, **schema.EXPLAINERS}
    reads = tuple(read for read in inputs_of(mart) if read != "settings")
    declared = mart.__dict__.get("declaration")
    method = declared.method if declared else ""
    kind = "mart" if published else "step"
    return Origin(name, kind, _file(mart), _meaning(mart), method, reads, mart)


def _divided(name: str) -> Origin:
    function, module = shared_machines.TABLES[name]
    return _mart(function)._replace(name=name, file=_file(module), method="§2.10", mart=None)


def _python(name: str, function: Callable[..., Any], reads: tuple[str, ...] = ()) -> Origin:
    return Origin(name, "input", _file(function), _meaning(function), reads=reads)


def _delivered(name: str) -> Origin:
    readers = [form.NAME for form in formats.FORMATS if name == form.VIEW]
    meaning = f"Delivered rows, read by the formats {', '.join(readers)}."
    return Origin(name, "delivered", _file(delivered_schema), meaning)


def _file(thing: Callable[..., Any] | ModuleType) -> str:
    own = thing if isinstance(thing, ModuleType) else inspect.unwrap(thing)
    return Path(inspect.getfile(own)).relative_to(ROOT).as_posix()


def _meaning(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]
