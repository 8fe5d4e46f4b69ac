"""The reference of published marts, and the table of flags and reasons, are complete."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

from dashboard.wording.reasons import REASONS
from models.contract.schema import ALLOCATIONS, MARTS, MONEY, NUMBERS
from models.contract.schema import REASONS as REASON_MAP
from models.formats.bill.cur2 import columns as cur2_columns
from models.formats.bill.focus import columns as focus_columns
from models.marts.trust.left_out_and_flagged import BY_FLAG
from models.marts.work.runs.purposes import UNKNOWN_PURPOSE
from tests.support.documentation.worked_examples import parser

ROOT = Path(__file__).parents[2]
KINDS_OF_INVESTMENT = {"stranded_commitment", "stranded_cluster", "pool_before_cutover"}
UNITS = {
    "string": {"text"},
    "date": {"day"},
    "timestamp": {"time"},
    "boolean": {"yes/no"},
    "int64": {"count"},
    "float64": {"number", "fraction"},
    "array<string>": {"list"},
    REASON_MAP: {"reason → dollars"},
    MONEY: {
        "dollars", "dollars per unit", "fraction", "hours", "epochs", "samples", "tokens",
        "units", "seconds",
    },
}  # fmt: skip


def tables(page: Path) -> dict[str, list[list[str]]]:
    """The rows of the table under each heading of a page, without its head."""
    found: dict[str, list[list[str]]] = {}
    tokens = parser().parse(page.read_text(encoding="utf-8"))
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            rows = found.setdefault(tokens[number + 1].content, [])
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and tokens[number - 1].type in ("td_open", "th_open"):
            rows[-1].append(token.content)
    return {title: rows[1:] for title, rows in found.items() if rows}


def named_for_export(format_name: str) -> set[str]:
    """The columns that the page of sources tells to export, `…` for any text."""
    text = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    table = text.partition(f"| {format_name} | says |")[2].partition("\n\n")[0]
    return {name.replace("…", "*") for name in re.findall("`([A-Za-z_…]+)`", table)}


@pytest.mark.parametrize(
    ("format_name", "columns", "spelt"),
    [
        ("FOCUS", focus_columns, "[A-Z][A-Za-z]+|x_[A-Za-z]+"),
        ("CUR 2.0", cur2_columns, "[a-z]+_[a-z_]+"),
    ],
)
def test_every_column_that_a_bill_is_read_by_is_told_to_be_exported(
    format_name: str, columns: ModuleType, spelt: str
) -> None:
    held = [each for name, each in vars(columns).items() if name.isupper()]
    texts = {text for each in held for text in ([each] if isinstance(each, str) else each)}
    told = named_for_export(format_name)
    read = {text for text in texts if re.fullmatch(spelt, text)}
    assert {name for name in read if not any(fnmatch(name, one) for one in told)} == set()
    assert {*columns.REQUIRED} <= told


def reference() -> dict[str, list[list[str]]]:
    return tables(ROOT / "docs" / "reference" / "marts.md")


def test_every_published_mart_is_in_the_reference_in_order() -> None:
    assert list(reference()) == list(MARTS)


@pytest.mark.parametrize("mart", MARTS)
def test_every_column_has_a_unit_and_a_meaning_in_the_order_of_the_export(mart: str) -> None:
    rows = reference()[mart]
    assert [name for name, *_ in rows] == list(MARTS[mart])
    wrong = {name: unit for name, unit, _ in rows if unit not in UNITS[MARTS[mart][name]]}
    assert wrong == {}
    assert all(meaning for *_, meaning in rows)


def test_a_decimal_is_exported_as_a_number_unless_it_is_dollars() -> None:
    """Money is decimal text in JSON; a ratio, a count, hours or a part of a machine is a number."""
    wrong = {
        (mart, name)
        for mart, rows in reference().items()
        for name, unit, _ in rows
        if MARTS[mart][name] == MONEY and (name in NUMBERS) == unit.startswith("dollars")
    }
    assert wrong == set()
    assert {name for name, dtype in ALLOCATIONS.items() if dtype == MONEY} <= NUMBERS


def flags(file: str) -> Iterator[str]:
    """The names that a module passes to `flag_list`."""
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "flag_list":
            [names] = node.args
            assert isinstance(names, ast.Dict)
            yield from (key.value for key in names.keys if isinstance(key, ast.Constant))


def reasons(file: str) -> Iterator[str]:
    """The reasons that a module gives: to `_of_reason`, in cases, or one after another."""
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "_of_reason":
            yield from (each.value for each in node.args[2:] if isinstance(each, ast.Constant))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "ibis.cases":
            yield from (pair.elts[1].value for pair in node.args)
        elif isinstance(node, ast.comprehension) and isinstance(node.iter, ast.Tuple):
            yield from (each.value for each in node.iter.elts)


def test_every_flag_and_reason_is_in_the_table_of_the_method() -> None:
    of_runs = set(flags("models/marts/work/runs/run_flags.py")) | {UNKNOWN_PURPOSE}
    of_baselines = set(flags("models/marts/baseline/flags_and_reason.py"))
    of_headlines = set(reasons("models/marts/trust/left_out_and_flagged.py")) | {UNKNOWN_PURPOSE}
    of_headlines |= set(BY_FLAG.values())
    assert len(of_runs) > 15
    assert len(of_baselines) > 3
    assert len(of_headlines) > 9
    made = of_runs | of_baselines | of_headlines
    titles = tables(ROOT / "docs" / "method" / "10-trust.md")
    rows = titles["10.4 Flags and reasons"]
    stands_in = {name.strip("`"): where for name, where, *_ in rows}
    assert set(stands_in) == made
    assert {name for name, where in stands_in.items() if "run" in where} == of_runs
    assert {name for name, where in stands_in.items() if "baseline" in where} == of_baselines
    headline = {n for n, where in stands_in.items() if "left out" in where or "flagged" in where}
    assert headline == of_headlines


def test_every_reason_that_a_page_words_is_in_the_table_or_an_investment() -> None:
    rows = tables(ROOT / "docs" / "method" / "10-trust.md")["10.4 Flags and reasons"]
    written = {name.strip("`") for name, *_ in rows}
    assert set(REASONS) - written == KINDS_OF_INVESTMENT
