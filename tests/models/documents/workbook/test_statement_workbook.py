"""The workbook: every formula comes to our figure, text stays text, the bytes stay the same."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from models.closing.history import monthly_history
from models.closing.monthly_statement import Sources, statement
from models.config.loading import load
from models.contract.schema import PORTFOLIO
from models.documents.paper import Paper
from models.documents.workbook.flow_columns import with_costs_per_epoch
from models.documents.workbook.statement_workbook import workbook
from models.records.statement import Row, Statement, read
from tests.models.conftest import SAMPLE
from tests.support.documents import calc
from tests.support.documents.calc import Cell
from tests.support.documents.figures import figures
from tests.support.documents.papers import FACTS, NASTY, RUN, in_two_kinds, paper, tables

CLOSE = Decimal("0.000001")
SHARE = Decimal("0.00005")
"""Of a percentage, which LibreOffice writes with two places."""
NO_FIGURE = ("unknown", "none", "")
SHEETS = [
    "Summary", "Workloads", "Runs", "Baselines", "Baseline runs", "Baseline hours", "Tie-out",
    "Adjustments", "Method",
]  # fmt: skip


@pytest.fixture(scope="module")
def september() -> Paper:
    return paper()


@pytest.fixture(scope="module")
def sampled(sample: duckdb.DuckDBPyConnection) -> Paper:
    """September of the sample: six workloads, several ways of buying, an investment of nobody's."""

    def ask(sql: str) -> list[Row]:
        cursor = sample.execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    return Paper(statement("2026-09", Sources(ask, load(SAMPLE / "breakeven.toml", {}))))


@pytest.fixture(scope="module")
def book(september: Paper) -> bytes:
    return workbook(september)


def named(book: bytes, sheet: str, row: int) -> dict[str, Cell]:
    """A row of a sheet by the titles above it (row 3, as people count)."""
    found = calc.cells(book)[sheet]
    heads = {cell.value: column for (at, column), cell in found.items() if at == 2}
    return {title: found[row - 1, column] for title, column in heads.items()}


def test_the_sheets_are_in_order_and_say_what_they_are(book: bytes, september: Paper) -> None:
    sheets = calc.cells(book)
    assert list(sheets) == SHEETS
    worth = sheets["Summary"][1, 0].value
    assert worth.startswith("Version 2, closed by J. Doe, Controlling at 2026-10-12 09:30 UTC. ")
    assert worth.endswith(f"sha256 {september.statement.sha256}")
    draft = calc.cells(workbook(paper(closed=False)))["Summary"][1, 0].value
    assert draft.startswith("Draft as of 2026-10-12: the month is not closed")


def test_what_waits_stands_below_the_statuses_each_cause_in_its_row(september: Paper) -> None:
    day = {"first": date(2026, 9, 8), "last": date(2026, 9, 8), "days": 1}
    waits = [
        {"workload": None, "waits_for": "allocations", "cost": Decimal("520"), **day},
        {"workload": None, "waits_for": "bill", "cost": None, **day},
    ]
    told = replace(september.statement, tables=september.statement.tables | {"unsettled": waits})
    found = calc.cells(workbook(replace(september, statement=told)))["Summary"]
    said = {row: cell.value for (row, column), cell in found.items() if not column}
    first = next(row for row, text in said.items() if "waits for" in text)
    assert [said[first], said[first + 1]] == [
        "$520 of shared machines on 8 Sep 2026 waits for allocations and is in no figure yet.",
        "An unknown cost delivered so far on 8 Sep 2026 waits for the rest of the bill and is in "
        "no figure yet.",
    ]
    assert said[first - 2] == PORTFOLIO


def test_the_bytes_are_the_same_whenever_they_are_written(book: bytes, september: Paper) -> None:
    assert workbook(september) == book


def test_the_chart_of_the_cumulative_net_is_not_titled_as_one_of_savings_alone(book: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(book)) as parts:
        drawn = parts.read("xl/charts/chart1.xml").decode()
    assert "Cumulative net (saving less investment), US dollars" in drawn


def test_savings_and_totals_are_formulas_over_what_is_given(book: bytes) -> None:
    """By hand: 2000.20 − (733.48 − 33.33) = 1300.05; ten epochs cost 73.348 each."""
    atlas = named(book, "Workloads", 5)
    assert atlas["Workload"] == Cell("atlas-7b", "")
    assert atlas["Trainium cost"] == Cell("733.48", "")
    assert atlas["Trainium cost not compared"] == Cell(
        "33.33", 'IF(COUNT(E5)<1,"unknown",E5-N(K5))'
    )
    assert atlas["Gross saving"] == Cell("1300.05", 'IF(COUNT(J5,K5)<2,"unknown",J5-K5)')
    assert atlas["Net saving"].value == "1300.05"
    assert Decimal(atlas["Trainium cost per epoch"].value) == Decimal("73.348")
    assert atlas["Cumulative net"] == Cell(
        "1367.76", 'IF(COUNT(U4,O5,S5,T5,R5)<5,"unknown",U4+O5+S5+T5-R5)'
    )
    assert atlas["Return on investment"] == Cell(
        "2.73552",
        'IF(COUNT(V5)<1,"unknown",IF(V5<=0,"none",IF(COUNT(U5)<1,"unknown",U5/V5)))',
    )
    whole = named(book, "Workloads", 11)
    assert whole["Trainium cost"] == Cell("853.98", "SUM(E5,E7,E9)")
    nobody = named(book, "Workloads", 8)
    assert (nobody["Workload"].value, nobody["Investment"].value) == ("(no workload)", "100")


def test_the_summary_has_what_belongs_to_nobody_as_of_the_month_not_of_it_alone(
    book: bytes,
) -> None:
    """$100 in August of $100 since: −100 %, where September alone would say 0 %."""
    nobody = named(book, "Summary", 6)
    assert nobody["Workload"].value == "(no workload)"
    told = [Decimal(nobody[name].value) for name in ("Cumulative net", "Return on investment")]
    assert told == [-100, -1]


def test_quarter_and_year_to_date_have_what_belongs_to_nobody_and_add_up(book: bytes) -> None:
    """$100 in August: nothing of September, all of the quarter and of the year."""
    summary = calc.cells(book)["Summary"]
    column = next(at for (_, at), cell in summary.items() if cell.value == "Investment")
    names = {row: cell.value for (row, at), cell in sorted(summary.items()) if not at}
    nobody = [row for row, name in names.items() if name == "(no workload)"]
    told = [summary[row, column] for row in nobody]
    assert [Decimal(cell.value) for cell in told] == [0, 100, 100]
    assert [cell.formula for cell in told[1:]] == [
        'IF(COUNT(Workloads!R8:R9)<2,"unknown",SUM(Workloads!R8:R9))'
    ] * 2
    for row in nobody[1:]:
        workloads = [Decimal(summary[row - back, column].value) for back in (2, 1)]
        assert names[row + 1] == PORTFOLIO
        assert sum(workloads) + 100 == Decimal(summary[row + 1, column].value)


def test_what_is_unknown_says_so_and_so_does_what_needs_it(book: bytes) -> None:
    atlas = named(book, "Workloads", 5)
    assert atlas["Saving at list prices"] == Cell("unknown", "")
    assert atlas["GPU cost per epoch"].value == "unknown"


def test_a_month_of_one_kind_of_work_keeps_the_sha256_of_before_kinds_were_told() -> None:
    one, several = (Statement("2026-09", FACTS, t) for t in (tables(), in_two_kinds()))
    assert "kind_of_work" not in one.document()["tables"]["baselines"][0]
    assert several.document()["tables"]["baselines"][1]["kind_of_work"] == "qlora"
    assert read(several.document()).sha256 == several.sha256 != one.sha256


def test_each_kind_of_work_has_a_baseline_of_its_own_runs() -> None:
    given = workbook(Paper(Statement("2026-09", FACTS, in_two_kinds())))
    main, further = (named(given, "Baselines", row) for row in (4, 5))
    assert (main["Workload"].value, further["Workload"].value) == ("atlas-7b", "atlas-7b (qlora)")
    assert "E4:E5" in main["Measured"].formula
    assert Decimal(further["Measured"].value) == 10
    assert "E6:E6" in further["Measured"].formula


def test_the_return_of_what_nothing_was_invested_in_is_none_and_not_unknown() -> None:
    made = tables()
    spent = (Decimal(0), None, Decimal(10))
    for row, invested in zip(made["history"][:3], spent, strict=True):
        row |= {"cumulative_investment": invested, "cumulative_net": None, "roi": None}
    draft = workbook(Paper(Statement("2026-09", FACTS, made)))
    told = [named(draft, "Workloads", row)["Return on investment"].value for row in (4, 5, 6)]
    assert told == ["none", "unknown", "unknown"]


def test_what_was_closed_as_unknown_is_no_zero_and_is_adjusted_in_full() -> None:
    given = tables()
    given["adjustments"][0] |= {"closed": None, "amount": Decimal("580.05")}
    row = named(workbook(Paper(Statement("2026-09", FACTS, given))), "Adjustments", 4)
    assert row["As closed"] == Cell("unknown", "")
    assert row["Adjustment"] == Cell("580.05", 'IF(COUNT(E4)<1,"unknown",E4-SUM(F4:G4))')


def test_each_workload_says_where_it_stands_and_what_is_left_out() -> None:
    given = tables()
    named = {"status": "losing", "left_out": {"insufficient_baseline": None}}
    given["summary"][0] |= named | {"credit_share": Decimal("0.1265")}
    made = calc.cells(workbook(Paper(Statement("2026-09", FACTS, given))))
    summary = made["Summary"]
    (top,) = (at for (at, _), cell in summary.items() if cell.value == "Status of each")
    atlas = [cell.value for (at, _), cell in sorted(summary.items()) if at == top + 1]
    assert atlas == [
        "atlas-7b", "losing", "parity", "comparable", "2026-09-30", "12.7 %",
        "insufficient baseline unknown", "unverified $40.00",
    ]  # fmt: skip
    method = made["Method"]
    (told,) = (at for (at, _), cell in method.items() if cell.value == "not counted (atlas-7b)")
    assert method[told, 1] == Cell("insufficient baseline: unknown", "")


def test_a_unit_costs_what_it_does_in_the_main_kind_of_work_and_not_in_all() -> None:
    """Of $733.48, $500 are of the kind whose ten epochs are told; August had one kind alone."""
    given = tables()
    for row in given["summary"]:
        row["trn_cost_per_epoch"] = Decimal(50) if row["workload"] == "atlas-7b" else None
    told = monthly_history("2026-09", given["summary"], (), ())
    given["history"] = [row for row in given["history"] if row["month"] < "2026-09"] + told
    given["history"].sort(key=lambda row: (row["workload"] == PORTFOLIO, row["workload"]))
    made = workbook(Paper(Statement("2026-09", FACTS, given)))
    rows = [row for (row, _), cell in calc.cells(made)["Workloads"].items() if cell.value == "50"]
    (row,) = rows
    atlas = named(made, "Workloads", row + 1)
    assert (atlas["Workload"].value, atlas["Month"].value) == ("atlas-7b", "202609")
    assert atlas["Trainium cost per epoch"] == Cell("50", "")
    before = named(made, "Workloads", row)["Trainium cost per epoch"]
    assert (before.value, before.formula.startswith("IF(")) == ("40.005", True)
    summary = calc.cells(made)["Summary"]
    column = next(at for (_, at), c in summary.items() if c.value == "Trainium cost per epoch")
    mine = [row for (row, at), cell in sorted(summary.items()) if cell.value == "atlas-7b"]
    month, *periods = (summary[row, column] for row in mine[:3])
    assert (Decimal(month.value), month.formula) == (50, f"Workloads!I{row + 1}")
    assert [period.value for period in periods] == ["unknown", "unknown"]


def test_cost_of_work_that_no_unit_counts_is_in_no_cost_per_unit_of_a_period() -> None:
    """In August atlas cost $400.05 that nothing compares with, and no work of it is counted."""
    given = tables()
    (august,) = (
        row
        for row in given["history"]
        if (row["workload"], row["month"]) == ("atlas-7b", "2026-08")
    )
    august |= {"trn_epochs": Decimal(0), "uncompared_cost": august["trn_cost"]}
    summary = calc.cells(workbook(Paper(Statement("2026-09", FACTS, given))))["Summary"]
    column = next(at for (_, at), c in summary.items() if c.value == "Trainium cost per epoch")
    mine = [row for (row, at), cell in sorted(summary.items()) if cell.value == "atlas-7b"]
    month, *periods = (summary[row, column] for row in mine[:3])
    assert month.value != "unknown"
    assert [period.value for period in periods] == ["unknown", "unknown"]


def test_a_unit_that_costs_nothing_is_not_priced_by_cost_that_is_left_out() -> None:
    row = {"gpu_cost": Decimal(9), "gpu_epochs": Decimal(3), "gpu_cost_per_epoch": Decimal(0),
           "trn_cost": Decimal(8), "trn_epochs": Decimal(2), "compared_cost": None}  # fmt: skip
    told = with_costs_per_epoch(row | {"month": "2026-09"})
    assert (told["gpu_cost_per_epoch"], told["trn_cost_per_epoch"]) == (0, 4)


def test_a_unit_of_runs_of_known_cost_is_priced_though_another_run_s_cost_is_unknown() -> None:
    """Of the month's ten epochs it is known that each cost $50; what all runs cost is unknown."""
    given = tables()["summary"]
    (atlas,) = (row for row in given if row["workload"] == "atlas-7b")
    atlas |= {"trn_cost": None, "trn_cost_per_epoch": Decimal(50)}
    (told,) = (
        row for row in monthly_history("2026-09", given, (), ()) if row["workload"] == "atlas-7b"
    )
    assert (told["trn_cost"], told["trn_cost_per_epoch"]) == (None, 50)
    assert with_costs_per_epoch(told)["trn_cost_per_epoch"] == 50


def test_work_of_runs_in_several_units_is_neither_called_by_one_of_them_nor_added_up() -> None:
    """The workload's main kind counts epochs, a further one tokens."""
    given = tables()
    further = {"run": "q1", "unit": "billion_tokens", "epochs": Decimal(3)}
    given["runs"] = [given["runs"][0] | {"unit": "epoch"}, given["runs"][0] | further]
    made = workbook(Paper(Statement("2026-09", FACTS, given)))
    assert (named(made, "Runs", 4)["Units"].value, named(made, "Runs", 5)["Units"].value) == (
        "10", "3",
    )  # fmt: skip
    column = next(
        at for (row, at), cell in calc.cells(made)["Runs"].items() if cell.value == "Units"
    )
    assert (5, column) not in calc.cells(made)["Runs"]


def test_the_remainder_of_the_tie_out_is_the_bill_less_its_buckets(book: bytes) -> None:
    row = named(book, "Tie-out", 4)
    assert row["In the buckets"] == Cell("825.66", "SUM(D4:O4)")
    assert row["Remainder"] == Cell("0.01", "Q4+R4-P4")
    assert row["Account"] == Cell("999900000001", "")


def test_no_name_becomes_a_formula(book: bytes) -> None:
    found = [cell for sheet in calc.cells(book).values() for cell in sheet.values()]
    assert Cell(NASTY, "") in found
    assert Cell("@SUM(1)  +2", "") in found
    assert not [cell for cell in found if "HYPERLINK" in cell.formula or RUN in cell.value]


def test_heads_stay_in_sight_and_pages_fit_and_a_chart_is_there(book: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(book)) as file:
        first = file.read("xl/worksheets/sheet1.xml").decode()
        names = file.read("xl/workbook.xml").decode()
        chart = file.read("xl/charts/chart1.xml").decode()
    assert '<pane xSplit="1" ySplit="3"' in first
    assert 'fitToHeight="0"' in first
    assert names.count("Print_Area") == len(SHEETS)
    assert "Workloads!$U$10:$U$11" in chart


@pytest.mark.office
def test_libreoffice_comes_to_every_figure_of_the_statement(
    september: Paper, sampled: Paper, tmp_path: Path
) -> None:
    """With no value left beside a formula, each number is LibreOffice's own, and none is over."""
    if not calc.available():
        pytest.skip("LibreOffice is not here: apt-get install libreoffice-calc-nogui")
    kinds = Paper(Statement("2026-09", FACTS, in_two_kinds()))
    papers = {"hand": september, "sample": sampled, "kinds": kinds}
    books = {name: workbook(of) for name, of in papers.items()}
    found = calc.recalculated(books, tmp_path)
    for name, of in papers.items():
        expected = figures(of.statement)
        for (sheet, row, column), value in expected.items():
            computed = found[name][sheet][row][column]
            assert agree(computed, value), (name, sheet, row, column, computed, value)
        assert calc.numbers(books[name]) - expected.keys() == set()


def agree(computed: str, ours: Decimal | date | None) -> bool:
    """To a millionth of a dollar; the cent is what finance asks for."""
    if isinstance(ours, date):
        return computed == f"{ours:%Y-%m-%d}"
    if ours is None or computed in NO_FIGURE:
        return ours is None and computed in NO_FIGURE
    if computed.endswith("%"):
        return abs(Decimal(computed[:-1]) / 100 - ours) <= SHARE
    return abs(Decimal(computed) - ours) < CLOSE


def test_a_total_of_dollars_is_unknown_where_those_of_one_run_are() -> None:
    given = tables()
    known = given["runs"][0]
    given["runs"] = [known, known | {"run": "q1", "cost": None, "storage_cost": None}]
    made = workbook(Paper(Statement("2026-09", FACTS, given)))
    sheet = calc.cells(made)["Runs"]
    total = {cell.value: sheet.get((5, at)) for (row, at), cell in sheet.items() if row == 2}
    assert total["Workload"] == Cell("Total", "")
    assert total["Storage"] == Cell("unknown", 'IF(COUNT(H4:H5)<2,"unknown",SUM(H4:H5))')
    assert total["Cost"] == Cell("unknown", 'IF(COUNT(K4:K5)<2,"unknown",SUM(K4:K5))')
    assert total["Accelerators"] == Cell("1400.0", 'IF(COUNT(G4:G5)<2,"unknown",SUM(G4:G5))')
