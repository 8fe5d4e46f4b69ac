"""The two pages: every figure of the statement is found in them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dashboard.pages.finance import statement_tables
from models.contract.decimal_text import dollars
from models.contract.schema import PORTFOLIO
from models.documents.paper import Paper
from models.documents.pdf import figures as pdf_figures
from models.documents.pdf.basis import basis_lines
from models.documents.pdf.closed_months import adjustment_table
from models.documents.pdf.curve import curve
from models.documents.pdf.figures import period_table, workload_table
from models.documents.pdf.left_out import unknown_lines
from models.documents.pdf.statement_pdf import document
from models.documents.pdf.tie_out import tie_out_table
from models.documents.wording import percent
from models.records.statement import Statement
from tests.support.dashboard.text import text as words_of
from tests.support.documents.papers import FACTS, in_two_kinds, paper, tables
from tests.support.documents.pdf_text import pdf_text as text

D = Decimal
FIGURES = (
    "trn_cost", "trn_epochs", "trn_cost_per_epoch", "baseline_value", "counterfactual",
    "gross_saving", "overhead", "net_saving", "cumulative_net",
)  # fmt: skip
BESIDES = (
    "gpu_cost", "gpu_epochs", "gpu_cost_per_epoch", "saving_at_list", "saving_at_old_volume",
    "investment", "adjustments", "roi", "credits", "status", "parity",
)  # fmt: skip
PERIOD = (
    "trn_cost", "counterfactual", "uncompared_cost", "overhead", "net_saving", "investment",
    "adjustments", "credits",
)  # fmt: skip


def test_every_figure_of_the_month_is_on_the_two_pages(tmp_path: Path) -> None:
    """Each on the line of its own workload, period, account or month, in its own place."""
    given = paper().statement.tables
    said = text(document(paper()), tmp_path)
    assert said.count("\f") == 2
    for row in given["summary"]:
        name = {PORTFOLIO: "Portfolio"}.get(row["workload"], row["workload"])
        first, second, *_ = lines(said, f"{name} ")
        pooled = name == "Portfolio"
        assert first == spaced(
            name, *(shown(c, row) for c in FIGURES if c != "baseline_value" or not pooled)
        )
        assert second == spaced(name, *(shown(column, row) for column in BESIDES))
    (month,) = (row for row in given["summary"] if row["workload"] == PORTFOLIO)
    since = {row["period"]: row for row in given["to_date"] if row["workload"] == PORTFOLIO}
    for name, row in (
        ("2026-09", month),
        ("Q3 since 2026-08", since["quarter"]),
        ("FY2027 since 2026-02", since["year"]),
    ):
        assert spaced(name, *(shown(column, row) for column in PERIOD)) in lines(said, name)
    account = "999900000001 $825.67 $825.66 $0.01 $0.00 the invoice"
    assert lines(said, "999900000001") == [account]
    assert lines(said, "All accounts") == ["All accounts, as billed $825.67 $825.66 $0.01 $0.00"]
    assert lines(said, "2026-08 ")[0] == "2026-08 -$12.34 $0.00 $0.00"


def test_what_the_figures_rest_on_is_on_the_two_pages(tmp_path: Path) -> None:
    given = paper()
    said = " ".join(text(document(given), tmp_path).split())
    for words in (
        "saved $1,268.30 net in 2026-09, with $10.00 invested in the month",
        "Since the beginning the migration is $1,226.01 ahead, a return of 201.0 %. At the volume "
        "trained before the move the month would have saved $633.53.",
        "Gross, old volume",
        "Cumulative net (saving less investment), US dollars",
        "Compared 96.1 % of the month's Trainium cost has a GPU cost to compare with",
        "Trainium cost not compared $33.33 (atlas-7b $33.33). Gross saving $1,269.55 = on GPU "
        "$2,090.20 − (Trainium $853.98 − $33.33)",
        "Version 2, closed by J. Doe, Controlling at 2026-10-12 09:30 UTC",
        "Buckets, billed direct $820.65, credit -$5.00, tax $10.01",
        "AWS restated 2026-08",
        "Counted with a flag: unverified $44.44. Left out: not comparable $33.33.",
        "not comparable: $33.33",
        "unverified: $44.44 (atlas-7b $40.00, =HYPERLINK(A1) $4.44)",
        "effective cost, settled through 2026-09-30; GPU baseline by method conservative",
        "repriced $176.38 is below measured $262.50 (2 GPU runs); g1, g2: $5,250.00 ÷ 20.00 "
        "epochs; p4d.24xlarge us-east-1 on demand: 210.00 h ÷ 20.00 × $21.957642 × $5,250.00 ÷ "
        "$6,882.25 = $175.88; storage and the like $0.50 per epoch",
        "1 deliveries; `breakeven verify` computes it again",
        "Opened again the invoice came",
        given.statement.sha256,
    ):
        assert words in said, words


def test_of_several_kinds_of_work_each_baseline_is_told_apart(tmp_path: Path) -> None:
    """The month's figures per unit are of the kind with most Trainium cost."""
    said = text(document(Paper(Statement("2026-09", FACTS, in_two_kinds()))), tmp_path)
    figures = ("$733.48", "10.00", "$73.35", "$175.88", "$2,000.20")
    assert lines(said, "atlas-7b ")[0].startswith(spaced("atlas-7b", *figures))
    said = " ".join(said.split())
    assert "Baseline of atlas-7b (qlora) repriced" in said
    assert "q1: $200.00 ÷ 20.00 epochs" in said
    assert "g1, g2: $5,250.00 ÷ 20.00 epochs" in said


def lines(said: str, name: str) -> list[str]:
    """Every line that begins with `name`."""
    return [spaced(line) for line in said.splitlines() if spaced(line).startswith(name)]


def spaced(*words: str) -> str:
    return " ".join(" ".join(words).split())


def shown(column: str, row: Mapping[str, Any]) -> str:
    value = row[column]
    if column.endswith("per_epoch") and not row[f"{column[:3]}_epochs"]:
        return "no epochs"
    if column == "roi":
        return percent(value)
    if isinstance(value, str):
        return value.replace("_", " ")
    return f"{value:,.2f}" if column.endswith("epochs") else dollars(value)


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
    assert "Baselines And 194 more: the workbook has every row." in " ".join(said.split())
    assert "workload-199" in said
    assert "Draft as of 2026-10-12: the month is not closed" in said


def test_each_adjusted_month_has_its_causes() -> None:
    """Of June an account's bill moved alone, of August the portfolio."""
    whole = next(row for row in tables()["adjustments"] if row["workload"] == PORTFOLIO)
    bill = {"month": "2026-06", "workload": None, "measure": "bill_total", "basis": "billed"}
    june = whole | bill | {"cause": "AWS restated 2026-06 of 2"}
    assert adjustment_table([june, whole])["causes"] == [
        ["2026-06", "AWS restated 2026-06 of 2"],
        ["2026-08", "AWS restated 2026-08"],
    ]


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    given = tables()
    for row in given["summary"]:
        if row["workload"] == PORTFOLIO:
            row |= {"net_saving": None, "saving_at_list": None}
        else:
            row |= {"gpu_cost": None, "trn_cost": None}
    given["curve"] = given["curve"][:1]
    said = text(document(Paper(Statement("2026-09", FACTS, given))), tmp_path)
    assert "What 2026-09 saved is not known: the pages below say why." in said
    assert "There are not two settled weeks to draw." in said
    assert len(lines(said, "atlas-7b unknown")) == 2


def test_what_is_not_compared_and_what_was_explained_is_said(tmp_path: Path) -> None:
    """Of 733.48 of atlas, 600.10 stand beside GPU cost; 120.50 of the other have no baseline."""
    given = tables()
    given["summary"][0] |= {"compared_cost": D("600.10"), "uncompared_cost": D("133.38")}
    given["summary"][1] |= {"compared_cost": None, "uncompared_cost": D("120.50")}
    statement = Statement("2026-09", FACTS, given)
    note = "tied       explained  a remainder: A billed 0.88 (marketplace, paid apart)"
    (closed,) = (one for one in (paper().close,) if one)
    close = replace(closed, statement=statement, notes=(note,))
    said = " ".join(text(document(Paper(statement, close)), tmp_path).split())
    apart = "Trainium cost not compared $253.88 (atlas-7b $133.38, =HYPERLINK(A1) $120.50)"
    assert apart in said
    assert "Explained a remainder: A billed 0.88 (marketplace, paid apart)" in said


def test_what_a_result_is_credited_stands_beside_the_months_dollars(tmp_path: Path) -> None:
    """Cost on GPU is then not the epochs of the month times the baseline."""
    given = tables()
    reached = (
        "measured $200.00: an epoch; a result is credited 14.00 epochs: 2 of 3 GPU runs reached"
    )
    mine = next(row for row in given["summary"] if row["workload"] == "atlas-7b")
    mine["baseline_reason"] = f"{reached} the target loss"
    said = text(document(Paper(Statement("2026-09", FACTS, given))), tmp_path)
    assert "On GPU counts results atlas-7b 14.00 epochs each" in " ".join(said.split())
    assert "On GPU counts results" not in text(document(paper()), tmp_path)


def test_the_rows_add_up_to_the_portfolio_with_what_belongs_to_no_workload(tmp_path: Path) -> None:
    """$100 of August was nobody's; what no row has beyond it is named with its workload."""
    given = tables()
    said = text(document(paper()), tmp_path)
    first, _ = lines(said, "(no workload) ")
    assert first == spaced("(no workload)", *["$0.00"] * 5, "-$100.00")
    (atlas, nasty, whole) = given["summary"]
    given["summary"] = [atlas, nasty | {"cumulative_net": None}, whole]
    ((_, told),) = unknown_lines(Statement("2026-09", FACTS, given))
    rest = whole["cumulative_net"] - atlas["cumulative_net"] + 100
    assert told == (
        f"In the portfolio's, {dollars(rest)} is known of workloads whose own is unknown "
        "(=HYPERLINK(A1))"
    )
    overhead = nasty | {"net_saving": None, "overhead": whole["overhead"] - atlas["overhead"]}
    given["summary"] = [atlas, overhead, whole]
    ((title, told),) = unknown_lines(Statement("2026-09", FACTS, given))
    known = dollars(whole["net_saving"] - atlas["net_saving"])
    assert (title, known in told) == ("Net saving", True)
    assert unknown_lines(paper().statement) == []


@pytest.mark.parametrize(
    ("invested", "said"), [(D(0), "none"), (D(-5), "none"), (D(10), "unknown"), (None, "unknown")]
)
def test_nothing_invested_has_no_return_and_not_an_unknown_one(
    invested: Decimal | None, said: str
) -> None:
    """METHOD §6: null where the sum of investment is 0 or below."""
    whole = paper().statement.row(PORTFOLIO) | {"roi": None, "cumulative_investment": invested}
    assert dict(pdf_figures.tiles(whole))["Return so far"] == said


def test_only_what_is_closed_can_be_signed(tmp_path: Path) -> None:
    """A page of a draft says so, also when the first page is lost."""
    closed = text(document(paper()), tmp_path)
    assert "Approved: name, date, signature" in closed
    draft = text(document(paper(closed=False)), tmp_path)
    assert "signature" not in draft
    assert draft.count("2026-09 draft sha256") == 2


def test_accounts_that_tie_out_to_the_cent_stand_by_the_size_of_their_bill() -> None:
    (row,) = tables()["tie_out"]
    bills = {"1": ("5", "0.004"), "2": ("90", "-0.001"), "3": ("7", "0.02")}
    rows = [
        row | {"account": who, "billing_account": who, "bill_total": D(bill), "remainder": D(rest)}
        for who, (bill, rest) in bills.items()
    ]
    assert [line[0] for line in tie_out_table(rows)["rows"]] == ["3", "2", "1"]


def test_what_the_buckets_lack_of_the_effective_total_is_said_by_account(tmp_path: Path) -> None:
    """As billed each of them ties out; Cost Explorer's effective total is $12.50 more."""
    (row,) = tables()["tie_out"]
    lacks = {"1": D(13), "2": D("-0.50"), "3": D(0)}
    rows = [
        row | {"account": account, "basis": basis, "remainder": amount}
        for account, effective in lacks.items()
        for basis, amount in (("billed", D(0)), ("effective", effective))
    ]
    made = Paper(Statement("2026-09", FACTS, tables() | {"tie_out": rows}))
    said = " ".join(text(document(made), tmp_path).split())
    assert "Remainder, effective $12.50 (1 $13.00, 2 -$0.50)" in said
    assert "Remainder, effective" not in text(document(paper()), tmp_path)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("invoice", "the invoice"),
        ("cost_explorer", "Cost Explorer"),
        ("self_check", "the export's own total"),
    ],
)
def test_what_the_bill_is_compared_with_is_in_plain_words(source: str, said: str) -> None:
    """In the PDF as on Finance; the table for programs keeps its key."""
    (row,) = tables()["tie_out"]
    rows = [row | {"total_source": source}]
    assert tie_out_table(rows)["rows"][0][-1] == said
    assert words_of(statement_tables.tie_out(rows)).endswith(f" {said}")


def test_the_curve_ends_where_the_money_does() -> None:
    """1,226.01 between the marks −500 and 1,500: 273.99 of 2,000, in 140 points, from 8."""
    drawn = curve(paper().statement.tables["curve"])
    assert 'cx="510.00" cy="27.18"' in drawn
    assert ">-500</text>" in drawn
    assert ">Sep 2026</text>" in drawn


def test_a_period_with_a_month_of_unknown_saving_does_not_call_all_its_cost_uncompared() -> None:
    """August compared nothing, so the quarter compares an unknown sum; of September $33.33."""
    given = tables()
    quarter = next(row for row in given["to_date"] if row["workload"] == PORTFOLIO)
    whole = quarter["trn_cost"]
    august = D("400.05") + D("33.33")
    quarter |= {"counterfactual": None, "compared_cost": None, "uncompared_cost": august}
    table = period_table(Paper(Statement("2026-09", FACTS, given)))
    told = dict(zip(table["columns"], table["rows"][1], strict=True))
    assert whole != august
    assert (told["On GPU"], told["Not compared"]) == ("unknown", dollars(august))


def test_hours_at_the_payers_discount_are_written_out_with_it() -> None:
    """METHOD §8 P: 10.5 × 21.957642 × 0.675 = 155.624788, where the runs' own part was 0.7628."""
    given = tables()
    given["baseline_hours"][0] |= {"payer_factor": D("0.675"), "repriced": D("155.624788")}
    said = dict(basis_lines(Paper(Statement("2026-09", FACTS, given))))["Baseline of atlas-7b"]
    assert (
        "210.00 h ÷ 20.00 × $21.957642 × 0.6750 (the payer's part of the price; the runs' own was "
        "$5,250.00 ÷ $6,882.25) = $155.62"
    ) in said


def test_each_workload_says_its_unit_where_several_count_and_all_of_them_have_no_sum_of_work() -> (
    None
):
    given = tables()
    for row, unit in zip(given["summary"], ("epoch", "billion_tokens", None), strict=True):
        row["unit"] = unit
    given["summary"][2] |= dict.fromkeys(("trn_epochs", "trn_cost_per_epoch"))
    table = workload_table(Statement("2026-09", FACTS, given), pdf_figures.FIGURES)
    told = dict(zip(table["columns"], table["total"], strict=True))
    assert [told[name] for name in ("Unit", "Work", "Per unit")] == ["several", "", ""]
    (first, second, nobody) = (
        dict(zip(table["columns"], row, strict=True)) for row in table["rows"]
    )
    assert {first["Unit"], second["Unit"]} == {"epochs", "billions of tokens"}
    assert (nobody["Workload"], nobody["Unit"]) == ("(no workload)", "")


def test_no_word_lies_on_another_where_a_table_is_wider_than_the_page(tmp_path: Path) -> None:
    given = tables()
    for row, unit in zip(given["summary"], ("epoch", "billion_tokens", None), strict=True):
        row |= {"unit": unit, "counterfactual": D("98765432.10"), "status": "not_comparable"}
    drawn = words(document(Paper(Statement("2026-09", FACTS, given))), tmp_path)
    assert {"Workload", "Unit", "$98,765,432.10"} <= {word for word, _ in drawn}
    for (one, (left, top, right, bottom)), (other, box) in combinations(drawn, 2):
        apart = right <= box[0] or box[2] <= left or bottom <= box[1] or box[3] <= top
        assert apart, (one, other)


WORD = re.compile(r'<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)</word>')


def words(content: bytes, folder: Path) -> list[tuple[str, tuple[float, ...]]]:
    """The words of the first page, each with its box; of the height the middle: lines are close."""
    text(content, folder)
    asked = ["pdftotext", "-bbox", "-l", "1", str(folder / "statement.pdf"), "-"]
    said = subprocess.run(asked, capture_output=True, check=True, text=True).stdout
    found = []
    for *box, word in WORD.findall(said):
        left, top, right, bottom = map(float, box)
        found.append((word, (left, top + 3, right, bottom - 3)))
    return found
