"""The brief is one A4 page, whatever it holds, and its text can be found."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import asdict, replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from models.documents.brief.brief_pdf import Brief, document
from models.documents.pdf.cost_curve import cost_curve
from models.documents.pdf.curve import curve

DAYS = [{"date": date(2026, 10, n), "cumulative_net": Decimal(n - 9) * 400} for n in (1, 9, 28)]
MONTHS = [
    {"period_start": date(2026, n, 1), "hardware": side, "cost_per_epoch": Decimal(cost + n)}
    for side, cost, months in (("gpu", 940, (5, 6, 7)), ("trainium", 880, (7, 8, 9)))
    for n in months
]
FAN = [
    {"date": date(2026, 11 + n, 1), "low": 8e3 + n, "median": 9e3 + n, "high": 1e4 + n}
    for n in (0, 1)
]
BRIEF = Brief(
    workload="atlas-7b",
    as_of=date(2026, 10, 31),
    standing="As of 31 Oct 2026",
    question="Has moving atlas-7b to Trainium paid for itself?",
    sentence="Moving atlas-7b to Trainium has paid for itself.",
    warnings=["93 % of Trainium spend can be compared with GPU."],
    pair="A model costs $886 on Trainium and $950 on GPU.",
    pair_rows=[["$ per result", "950.00", "886.00"]],
    cost_curve=cost_curve(MONTHS),
    cost_note="Cost an epoch by month",
    curve=curve(DAYS, FAN),
    curve_note="Through 28 Oct 2026",
    forward=[["Return on investment so far", "22 %"]],
    left_out=[["Days whose cost is still arriving (left out)", "$1,317"]],
    basis=[["Method", "Edition 2"]],
    check=["Snapshot 6298d58ca891177e."],
)
SHAPES = ("curve", "cost_curve", "as_of")
LONG = "a-very-long-name-" * 15


def text(content: bytes, folder: Path) -> str:
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not here: apt-get install poppler-utils")
    (folder / "brief.pdf").write_bytes(content)
    asked = ["pdftotext", "-layout", str(folder / "brief.pdf"), "-"]
    return subprocess.run(asked, capture_output=True, check=True, text=True).stdout


def words(brief: Brief) -> set[str]:
    shown = {name: value for name, value in asdict(brief).items() if name not in SHAPES}
    return set(re.findall(r"[\w.$,%]+", str(list(shown.values()))))


def test_every_word_is_on_the_one_page_and_can_be_searched(tmp_path: Path) -> None:
    said = text(document(BRIEF), tmp_path)
    assert said.count("\f") == 1
    missing = {word.strip(",.") for word in words(BRIEF)} - set(re.split(r"[\s(),:]+|\.\s", said))
    assert {word for word in missing if word not in said} == set()


def test_what_is_too_much_for_a_page_is_set_smaller(tmp_path: Path) -> None:
    full = replace(
        BRIEF,
        workload=LONG,
        sentence=f"Moving {LONG} to Trainium is losing money. " * 4,
        forward=BRIEF.forward * 12,
        left_out=BRIEF.left_out * 9,
        basis=[["Its runs", "measured, repriced and not confirmed for 45 days; " * 9]] * 6,
    )
    said = text(document(full), tmp_path)
    assert said.count("\f") == 1
    assert "6298d58ca891177e" in said, "the last line is on the page"
    info = subprocess.run(["pdfinfo", str(tmp_path / "brief.pdf")], capture_output=True, text=True)
    assert "(A4)" in info.stdout


def test_without_a_curve_it_says_why_and_the_same_brief_is_the_same_file(tmp_path: Path) -> None:
    bare = replace(BRIEF, curve="", curve_note="There are not two settled days to draw yet.")
    bare = replace(bare, pair_rows=[], forward=[], left_out=[])
    said = text(document(bare), tmp_path)
    assert "There are not two settled days to draw yet." in said
    assert "Nothing is left out." in said
    assert document(bare) == document(bare)


def test_markup_in_a_name_is_shown_as_it_is(tmp_path: Path) -> None:
    odd = '#panic("x") *b* $y$ <script> \\'
    assert odd[:11] in text(document(replace(BRIEF, sentence=odd)), tmp_path)


def test_the_curve_ends_where_its_forecast_ends() -> None:
    assert "polygon" not in curve(DAYS)
    drawn = curve(DAYS, FAN)
    median = re.search(r'points="([^"]+)" fill="none" stroke="#0072B2" stroke-width="1.1"', drawn)
    assert median
    assert float(median[1].split()[-1].split(",")[0]) == pytest.approx(510)


def test_what_a_unit_cost_is_drawn_beside_its_table(tmp_path: Path) -> None:
    """From zero, each side with its name; one month alone is no curve."""
    assert cost_curve(MONTHS[:1]) == ""
    drawn = cost_curve(MONTHS)
    assert drawn.count("<polyline") == 2
    assert re.findall(r'fill="#[0-9a-f]{6}">(\w+)</text>', drawn) == ["GPU", "Trainium"]
    assert re.search(r'text-anchor="end">(\d+)</text>', drawn)[1] == "0"  # type: ignore[index]
    said = text(document(BRIEF), tmp_path)
    (line,) = (line for line in said.splitlines() if "$ per result" in line)
    assert "Cost an epoch by month" in said
    assert "Cost an epoch by month" not in text(document(replace(BRIEF, cost_curve="")), tmp_path)
    assert line
