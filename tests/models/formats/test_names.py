"""Names that hang a browser or forge a line are refused in every shape that tags come in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.engine.warehouse.scratch import scratch
from models.formats import line_faults
from models.formats.line_faults import Fault
from models.formats.names import bad_entries, bad_names, bad_tags
from models.intake.delivered_lines import DeliveredLines

GOOD = ["atlas-7b", "é" * 256, 'a "b" \\ c', "C:\\new", "(none)", "", None]
BAD = ["x" * 257, "a\nb", "a\x00b", "a\x1b[2J", "a\x7f", "a\x85b", "a\u2028b"]


Checks = Callable[[ir.Table], Iterator[Fault]]


def refused(folder: Path, column: pa.Array, checks: Checks, about: str) -> int:
    """How many delivered lines the checks refuse."""
    pq.write_table(pa.table({"Tags": column}), folder / "a.parquet")
    with scratch() as backend:
        lines = DeliveredLines(backend, [folder / "a.parquet"])
        return len(
            lines.answer(lambda given: line_faults.faulty_lines(given, checks(given)), about)
        )


def shaped(names: list[str | None], shape: str) -> pa.Array:
    if shape == "text":
        return pa.array(names)
    if shape == "json":
        return pa.array([json.dumps({"run": name, "b": "x"}) for name in names])
    if shape == "raw json":
        return pa.array([json.dumps({"run": name, "b": "x"}, ensure_ascii=False) for name in names])
    if shape == "struct":
        return pa.array([{"run": name, "b": "x"} for name in names])
    kind = pa.map_(pa.string(), pa.string())
    return pa.array([[("run", name), ("b", "x")] for name in names], kind)


@pytest.mark.parametrize("shape", ["text", "json", "raw json", "map", "struct"])
def test_every_bad_name_is_refused_and_no_good_one(tmp_path: Path, shape: str) -> None:
    def checks(lines: ir.Table) -> Iterator[Fault]:
        return bad_names(lines, "Tags", "absent") if shape == "text" else bad_tags(lines, "Tags")

    assert refused(tmp_path, shaped(GOOD, shape), checks, shape) == 0
    assert refused(tmp_path, shaped([*GOOD, *BAD], shape), checks, shape) == len(BAD)


def test_of_a_trackers_tags_only_names_are_checked(tmp_path: Path) -> None:
    told = pa.array([json.dumps({"note": "x\n" * 9_000, "run": name}) for name in ("a", "a\nb")])
    checked = partial(bad_entries, column="Tags", keys=["run"])
    assert refused(tmp_path, told, checked, "tracker") == 1
