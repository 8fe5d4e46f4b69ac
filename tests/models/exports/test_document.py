"""The two pages: every figure of the statement is found in them."""

from __future__ import annotations

import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest

from models.exports.curve import curve
from models.exports.document import document, dollars
from models.month_end.paper import Paper
from models.month_end.statement import Statement
from models.schema import PORTFOLIO
from tests.models.exports.papers import FACTS, NASTY, paper, tables


def text(content: bytes, folder: Path) -> str:
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not here: apt-get install poppler-utils")
    (folder / "statement.pdf").write_bytes(content)
    asked = ["pdftotext", "-layout", str(folder / "statement.pdf"), "-"]
    return subprocess.run(asked, capture_output=True, check=True, text=True).stdout


def test_every_figure_of_the_month_is_on_the_two_pages(tmp_path: Path) -> None:
    given = paper()
    said = text(document(given), tmp_path)
    assert said.count("\f") == 2
    for row in given.statement.tables["summary"]:
        for name in ("trn_cost", "counterfactual", "gross_saving", "overhead", "net_saving"):
            assert dollars(row[name]) in said, (row["workload"], name)
        for name in ("cumulative_net", "investment", "adjustments", "gpu_cost"):
            assert dollars(row[name]) in said, (row["workload"], name)
    for words in (
        "saved $1,268.30 net in 2026-09, with $10.00 invested in the month",
        "Since the beginning the migration is $1,226.01 ahead.",
        "Version 2, closed by J. Doe, Controlling at 2026-10-12 09:30 UTC",
        "FY2027 since 2026-02",
        "$825.67",
        "AWS restated 2026-08",
        "Counted with a flag: unverified $44.44. Left out: not comparable $33.33.",
        "not comparable: $33.33",
        "repriced $175.88 is below measured $262.50 (2 GPU runs)",
        NASTY,
        given.statement.sha256,
    ):
        assert words in " ".join(said.split()), words


def test_the_bytes_are_the_same_whenever_they_are_written() -> None:
    assert document(paper()) == document(paper())


def test_two_pages_however_many_workloads(tmp_path: Path) -> None:
    many = tables()
    one, _, whole = many["summary"]
    others = [one | {"workload": f"workload-{n:03}", "net_saving": Decimal(n)} for n in range(200)]
    many["summary"] = [*others, whole]
    tied = many["tie_out"][0]
    many["tie_out"] = [tied | {"account": f"{n:012}"} for n in range(100)]
    moved = many["adjustments"][0]
    many["adjustments"] = [moved | {"month": f"20{n}-01"} for n in range(10, 26)]
    many["baselines"] *= 200
    said = text(document(Paper(Statement("2026-09", FACTS, many))), tmp_path)
    assert said.count("\f") == 2
    assert "And 188 more: the workbook has every row." in said
    assert "workload-199" in said
    assert "Draft as of 2026-10-12: the month is not closed" in said


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    given = tables()
    for row in given["summary"]:
        if row["workload"] == PORTFOLIO:
            row |= {"net_saving": None, "saving_at_list": None}
    given["curve"] = given["curve"][:1]
    said = text(document(Paper(Statement("2026-09", FACTS, given))), tmp_path)
    assert "What 2026-09 saved is not known: the pages below say why." in said
    assert "There are not two settled weeks to draw." in said


def test_the_curve_ends_where_the_money_does() -> None:
    """1,226.01 between the marks −500 and 1,500: 273.99 of 2,000, in 140 points, from 8."""
    drawn = curve(paper().statement.tables["curve"])
    assert 'cx="510.00" cy="27.18"' in drawn
    assert ">-500</text>" in drawn
    assert ">Sep 2026</text>" in drawn
