"""Four months closed while AWS rewrites them: closes and adjustments are the final bill."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from ingest.pull import pull
from models.closing import closing, conditions, draft, verification
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import CloseError, MissingDataError, NotReadyError, StorageError
from models.contract.schema import PORTFOLIO
from models.documents.paper import drafted
from models.engine import build
from models.records.closes import Close, Closes
from models.records.statement import Statement
from models.sending import alerts
from tests.support.closing.company import ACCOUNT, MONTHS, OTHER, Company, company
from tests.support.closing.derived_once import derived_once
from tests.support.world import Marts, one_core

D = Decimal


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Company:
    """Each month is closed, then AWS restates it and one before; September's close stands last."""
    made = company(tmp_path_factory.mktemp("closes"))
    made.bill()
    made.close("2025-06")
    made.restate({"2025-06": "17"})
    made.close("2025-07")
    made.restate({"2025-06": "15.50", "2025-07": "18"})
    made.close("2025-08")
    made.close("2025-09")
    made.restate({"2025-06": "16.10", "2025-09": "12.3456789"})
    with one_core():
        build.build(made.settings)
    return made


@pytest.fixture(scope="module", autouse=True)
def drafts() -> Iterator[None]:
    """What was drafted once is not derived again to be refused."""
    with derived_once():
        yield


@pytest.fixture(scope="module")
def settings(story: Company) -> Settings:
    return story.settings


@pytest.fixture(scope="module")
def october(settings: Settings) -> Close:
    """The open month, as it would be closed."""
    return draft.draft(settings, "2025-10").close


def moved(close: Close, measure: str, **whose: str) -> dict[str, Decimal]:
    """What a statement adjusts, by closed month."""
    rows = [
        row
        for row in close.statement.tables["adjustments"]
        if row["measure"] == measure and all(row[name] == who for name, who in whose.items())
    ]
    return {row["month"]: row["amount"] for row in rows}


def test_closes_and_adjustments_are_the_final_bill_of_each_account_and_month(
    story: Company, settings: Settings, october: Close
) -> None:
    """Exactly, on both bases, against the last bill that AWS delivered, summed by hand."""
    standing = Closes(settings.data).newest_versions()
    assert [close.month for close in standing] == list(MONTHS)
    closed: dict[tuple[str, str, str], Decimal] = {}
    for close in standing:
        for row in close.statement.tables["tie_out"]:
            closed[close.month, row["account"], row["basis"]] = row["bill_total"]
    told = dict(closed)
    for close in (*standing, october):
        for row in close.statement.tables["adjustments"]:
            if row["measure"] == "bill_total":
                told[row["month"], row["account"], row["basis"]] += row["amount"]
    bill = duckdb.execute(
        "UNPIVOT (SELECT BillingPeriodStart[:7], SubAccountId, "
        "sum(BilledCost::DECIMAL(38, 9)) AS billed, "
        "sum(EffectiveCost::DECIMAL(38, 9)) AS effective "
        "FROM read_csv(?, all_varchar = true) "
        "WHERE BillingPeriodStart BETWEEN '2025-06-01' AND '2025-09-01' GROUP BY ALL) "
        "ON billed, effective",
        [str(story.world.folder / "bill.csv")],
    ).fetchall()
    assert told == {(month, account, basis): total for month, account, basis, total in bill}
    assert len({key for key in told if told[key] != closed[key]}) == 12


def test_each_close_adjusts_what_the_closes_before_did_not(
    settings: Settings, october: Close
) -> None:
    """By hand: 25 hours. June 16 → 17 → 15.50 → 16.10; July 16 → 18; September 16 → 12.3456789."""
    whose = {"workload": "atlas-7b"}
    august = {close.month: close for close in Closes(settings.data).newest_versions()}["2025-08"]
    july = {close.month: close for close in Closes(settings.data).newest_versions()}["2025-07"]
    assert moved(july, "net_saving", **whose) == {"2025-06": -25}
    assert moved(august, "net_saving", **whose) == {"2025-06": D("37.50"), "2025-07": -50}
    assert moved(october, "net_saving", **whose) == {
        "2025-06": D("-15.00"),
        "2025-09": D("91.3580275"),
    }
    assert moved(october, "other", account=OTHER, basis="billed") == {
        "2025-06": D("5.366666667") - D("5.166666667"),
        "2025-09": D("4.1152263") - D("5.333333333"),
    }


def test_the_published_month_is_the_closed_one_and_the_open_one_adjusts_it(
    settings: Settings,
) -> None:
    marts = Marts(settings)
    rows = marts.rows(
        "SELECT month, net_saving, adjustments FROM monthly_summary "
        "WHERE workload = 'atlas-7b' AND month >= '2025-06' ORDER BY month"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2025-06", D("303.50"), 0),
        ("2025-07", D("303.50"), -25),
        ("2025-08", D("303.50"), D("-12.50")),
        ("2025-09", D("303.50"), 0),
        ("2025-10", 0, D("76.3580275")),
    ]
    today = marts.row(
        "SELECT cumulative_net FROM month_facts WHERE month = '2025-10' AND workload = ?",
        PORTFOLIO,
    )["cumulative_net"]
    assert sum((row["net_saving"] + row["adjustments"] for row in rows), D(-1000)) == today


def test_the_published_adjustments_are_those_of_the_statement(
    settings: Settings, october: Close
) -> None:
    published = Marts(settings).rows(
        "SELECT workload, adjustments FROM monthly_summary WHERE month = '2025-10'"
    )
    told = {row["workload"]: row["adjustments"] for row in published}
    assert told == {who: october.statement.row(who)["adjustments"] for who in told}
    assert sum(amount != 0 for amount in told.values()) >= 2


def test_what_was_closed_is_final_and_only_what_aws_invoiced_is_invoiced(
    settings: Settings,
) -> None:
    found = Marts(settings).rows(
        "SELECT DISTINCT billing_period AS month, final, invoiced FROM spend_daily ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        ("2025-05", False, False),
        *((month, True, False) for month in MONTHS),
        ("2025-10", False, False),
    ]


def test_the_cumulative_net_rolls_forward_from_month_to_month(october: Close) -> None:
    rows = [r for r in october.statement.tables["history"] if r["workload"] == PORTFOLIO]
    assert [(row["month"], row["closed"]) for row in rows] == [
        ("2025-05", None), *((month, 1) for month in MONTHS), ("2025-10", None)
    ]  # fmt: skip
    assert {row["other_change"] for row in rows} == {0}
    total = D(0)
    for row in rows:
        total += row["net_saving"] + row["adjustments"] - row["investment"]
        assert row["cumulative_net"] == total


def test_what_has_paid_for_itself_is_told_from_the_published_snapshot(settings: Settings) -> None:
    """By hand: 4 × 703.50 − 25 × (16.10 + 18 + 16 + 12.3456789) − 1,000."""
    told, raised = alerts.new_alerts(Marts(settings).rows, settings, {})
    assert told == [
        "The migration has paid for itself: $252.86 cumulative net, a return of 25.3 %.",
        "atlas-7b has paid for itself: $252.86 cumulative net, a return of 25.3 %.",
    ]
    assert alerts.new_alerts(Marts(settings).rows, settings, raised) == ([], raised)


def test_the_baseline_can_be_redone_by_hand(settings: Settings) -> None:
    """(2,500 + 2,750) ÷ 20 = 262.50; 210 h ÷ 20 × 21.957642 × 5,250 ÷ 6,882.246 = 175.875."""
    closes = Closes(settings.data).newest_versions()
    july = next(close for close in closes if close.month == "2025-07").statement
    assert [(r["lineage"], r["epochs"], r["cost"]) for r in july.tables["baseline_runs"]] == [
        ("g1", 10, 2500), ("g2", 10, 2750)
    ]  # fmt: skip
    (hours,) = july.tables["baseline_hours"]
    names = ("instance_hours", "epochs", "price", "effective_cost", "reference_cost", "repriced")
    assert [hours[name] for name in names] == [
        210, 20, D("21.957642"), 5250, D("6882.246"), D("175.875")
    ]  # fmt: skip
    (baseline,) = july.tables["baselines"]
    assert (baseline["date"], baseline["value"]) == (date(2025, 7, 31), D("175.875"))
    assert not drafted(settings, "2025-05", Marts(settings).rows).tables["baseline_runs"]


def test_every_adjustment_says_why(october: Close) -> None:
    rows = october.statement.tables["adjustments"]
    causes = {row["cause"] for row in rows if row["account"] == OTHER and row["month"] == "2025-06"}
    assert causes == {f"AWS restated 2025-06 of {OTHER}: billed +0.20, effective +0.20"}
    own = {row["cause"] for row in rows if row["workload"] and row["month"] == "2025-09"}
    (said,) = own
    assert f"AWS restated 2025-09 of {ACCOUNT}: billed -88.2" in said
    assert f"AWS restated 2025-09 of {OTHER}: billed -1.22" in said


def test_the_year_and_the_quarter_to_date_follow_the_fiscal_calendar(settings: Settings) -> None:
    """The year begins in February: August is the first month of its third quarter."""
    closes = {close.month: close for close in Closes(settings.data).newest_versions()}
    august = closes["2025-08"].statement
    assert (august.facts["fiscal_year"], august.facts["fiscal_quarter"]) == ("FY2026", "Q3")
    told = {
        row["period"]: (row["since"], row["net_saving"], row["adjustments"], row["investment"])
        for row in august.tables["to_date"]
        if row["workload"] == "atlas-7b"
    }
    assert told == {
        "quarter": ("2025-08", D("303.50"), D("-12.50"), 0),
        "year": ("2025-02", D("910.50"), D("-37.50"), 1000),
    }


def test_a_close_verifies_from_its_own_deliveries_after_the_warehouse_is_lost(
    settings: Settings, tmp_path: Path
) -> None:
    shutil.copytree(settings.data, tmp_path / "data")
    copy = settings.model_copy(update={"home": tmp_path})
    copy.warehouse_file.unlink()
    shutil.rmtree(copy.data / "snapshots")
    closed = next(c for c in Closes(settings.data).every() if c.month == "2025-08")
    assert verification.verify(copy, "2025-08").close == closed


def test_a_close_that_another_names_may_be_lost_and_it_is_said(
    settings: Settings, tmp_path: Path
) -> None:
    shutil.copytree(settings.data, tmp_path / "data")
    copy = settings.model_copy(update={"home": tmp_path})
    shutil.rmtree(copy.data / "closes" / "2025-06")
    with pytest.raises(MissingDataError, match="there is no such close: 2025-06 version 1"):
        verification.verify(copy, "2025-08")


def test_superseded_deliveries_that_a_close_names_keep_their_files(
    story: Company, tmp_path: Path
) -> None:
    """Though nothing superseded is kept for a day; and what an older program closed verifies."""
    config = story.world.settings(**story.world.config, raw={"keep_days": 0})
    pull(config).raise_failures()
    shutil.copytree(config.data, tmp_path / "data")
    copy = config.model_copy(update={"home": tmp_path})
    (june,) = Closes(config.data).versions("2025-06")
    told = june.statement
    older = replace(
        told,
        facts={**told.facts, "version": "0.0.9"},
        tables={name: rows for name, rows in told.tables.items() if name != "baseline_runs"},
    )
    Closes(copy.data).add(replace(june, version=2, statement=older))
    assert verification.verify(copy, "2025-06").close.version == 2


def test_what_was_closed_is_as_it_was_or_it_is_said(settings: Settings, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(settings.data, data)
    copy = settings.model_copy(update={"home": tmp_path})
    file = data / "closes" / "2025-07" / "0001.json"
    said = json.loads(file.read_text())
    said["statement"]["tables"]["summary"][0]["net_saving"] = "999.00"
    file.write_text(json.dumps(said))
    with pytest.raises(StorageError, match=r"0001\.json is not as it was closed"):
        verification.verify(copy, "2025-07")
    shutil.copy(settings.data / "closes" / "2025-07" / "0001.json", file)
    named = next(c for c in Closes(data).every() if c.month == "2025-06").deliveries
    bill = next(one["id"] for one in named if one["source"] == "focus")
    for path in data.glob(f"raw/focus/*/*/{bill}/*.parquet"):
        path.unlink()
    with pytest.raises(CloseError, match="is gone: focus"):
        verification.verify(copy, "2025-06")


def test_a_month_that_is_closed_is_opened_again_only_for_a_reason_and_as_a_version(
    story: Company, settings: Settings, october: Close, tmp_path: Path
) -> None:
    """June's second version holds what was adjusted of it, so October takes that back."""
    shutil.copytree(settings.data, tmp_path / "data")
    copy = settings.model_copy(update={"home": tmp_path})
    with pytest.raises(CloseError, match="2025-06 is closed already: version 1 by C"):
        closing.close(copy, "2025-06", by="D")
    made = closing.close(copy, "2025-06", by="D", reason="the auditor asked").close
    first, second = Closes(copy.data).versions("2025-06")
    (copy.data / "closes" / "2025-06" / "0001.json").unlink()
    again = draft.draft(copy, "2025-06").close
    assert again.version == 3, "also where the first version is lost"
    assert (second.version, second.reason, second.closed_by) == (2, "the auditor asked", "D")
    assert first == next(c for c in Closes(settings.data).every() if c.month == "2025-06")
    assert made.statement.row("atlas-7b")["net_saving"] == D("301.00")
    after = draft.draft(copy, "2025-10").close
    whose = {"workload": "atlas-7b"}
    assert moved(after, "net_saving", **whose)["2025-06"] == D("-12.50")
    assert next(
        row["cause"]
        for row in after.statement.tables["adjustments"]
        if row["month"] == "2025-06" and row["measure"] == "net_saving"
    ) == ("the month was reopened and contains what was adjusted before")


@pytest.mark.parametrize(
    ("today", "invoiced", "met", "said"),
    [
        ("2025-10-31", "now", False, "2025-10 ends on 2025-10-31"),
        ("2025-11-09", "", False, "names no invoice: final on 2025-11-10"),
        ("2025-11-10", "", True, "no invoice is named, and 10 days passed"),
        ("2025-12-20", "before", False, "no invoice yet for B ([[invoices]] says"),
        ("2025-11-09", "before, later", False, "the bill of B names no invoice"),
        ("2025-12-20", "later", True, "no invoice is named, and 10 days passed"),
        ("2025-11-02", "now", True, "invoiced"),
        ("2025-11-02", "payer", True, "invoiced"),
    ],
)
def test_a_month_is_final_once_it_is_invoiced_or_ten_days_over(
    settings: Settings, today: str, invoiced: str, met: bool, said: str
) -> None:
    """`before`, `now`, `later`: which months' invoices the bill names; `payer`: the config does."""
    months = {"before": "2025-09", "now": "2025-10", "later": "2025-11"}
    told = duckdb.connect()
    told.execute(
        "CREATE TABLE spend_daily AS SELECT 'A' AS billing_account, 'B' AS account, "
        "month AS billing_period, list_contains(?, month) AS invoiced "
        "FROM (SELECT unnest(?) AS month)",
        [[months[name] for name in months if name in invoiced], list(months.values())],
    )
    mine = {"account": "A", "month": "2025-10", "amount": D(1)} if invoiced == "payer" else None
    config = validated_settings(
        {"as_of": today, "invoices": [mine] if mine else []}, home=settings.home
    )
    invoices = {entry.account for entry in config.invoices}
    found = conditions.final(
        "2025-10", lambda sql: told.sql(sql).df().to_dict("records"), config, invoices
    )
    assert (found.met, said in found.text) == (met, True), found.text


@pytest.mark.parametrize(
    ("today", "invoiced", "met", "said"),
    [
        ("2025-11-09", (), False, "no bill of 2025-10 yet: final on 2025-11-10"),
        ("2025-11-10", (), True, "no invoice is named, and 10 days passed since 2025-10-31"),
        ("2025-11-01", ("A",), True, "invoiced"),
    ],
)
def test_a_month_without_a_line_of_a_bill_waits_ten_days(
    settings: Settings, today: str, invoiced: tuple[str, ...], met: bool, said: str
) -> None:
    """Its bill may be late."""
    config = validated_settings({"as_of": today}, home=settings.home)
    found = conditions.final("2025-10", lambda _: [], config, invoiced)
    assert (found.met, found.text) == (met, said)


@pytest.mark.parametrize(("total", "met"), [("invoice", True), ("self_check", False)])
def test_the_bill_that_names_no_account_is_final_once_the_config_says_its_invoice(
    settings: Settings, total: str, met: bool
) -> None:
    """The tie-out compares it with the only invoice of the month, whatever its account."""
    bill = {"account": "no account", "billing_account": None}
    told = [bill | {"final": False, "ever": False, "later": False}]
    tied = {"account": None, "basis": "billed", "total_source": total, "remainder": D(0)}
    statement = Statement("2025-09", {}, {"summary": [], "tie_out": [tied]})
    config = validated_settings({"as_of": "2025-10-05"}, home=settings.home)
    found = conditions.conditions(
        statement, lambda sql: told if sql.startswith("\nWITH bills") else [], config, []
    )[0]
    unnamed = "the bill of no account names no invoice: final on 2025-10-10"
    assert (found.met, found.text) == (met, "invoiced" if met else unnamed)


@pytest.mark.parametrize(
    ("later", "met", "said"),
    [(False, False, "no invoice yet for B ([[invoices]] says"), (True, True, "10 days passed")],
)
def test_an_account_that_changed_its_payer_is_invoiced_by_both(
    settings: Settings, later: bool, met: bool, said: str
) -> None:
    """Of B, `new` has invoiced October; `old`, which invoiced September, has only later months."""
    told = duckdb.connect()
    bills = [("old", "B", "2025-09", True), ("old", "B", "2025-10", False),
             ("new", "B", "2025-10", True), ("old", "C", "2025-11", later)]  # fmt: skip
    told.execute(
        "CREATE TABLE spend_daily "
        "(billing_account VARCHAR, account VARCHAR, billing_period VARCHAR, invoiced BOOLEAN)"
    )
    told.executemany("INSERT INTO spend_daily VALUES (?, ?, ?, ?)", bills)
    config = validated_settings({"as_of": "2025-12-20"}, home=settings.home)
    found = conditions.final(
        "2025-10", lambda sql: told.sql(sql).df().to_dict("records"), config, ()
    )
    assert (found.met, said in found.text) == (met, True), found.text


def test_a_month_that_is_not_over_is_refused_and_nothing_is_written(settings: Settings) -> None:
    with pytest.raises(NotReadyError) as caught:
        closing.close(settings, "2025-10", by="C")
    assert caught.value.lines[0] == ("2025-10 cannot be closed: final: 2025-10 ends on 2025-10-31")
    assert not (settings.data / "closes" / "2025-10").exists()


def test_months_are_closed_one_after_the_other(settings: Settings) -> None:
    standing = Closes(settings.data).newest_versions()
    assert conditions.in_order("2025-10", standing).met
    assert conditions.in_order("2025-11", standing).text == "close 2025-10 first"


def test_a_remainder_must_be_explained(story: Company, tmp_path: Path) -> None:
    invoice = {"account": OTHER, "month": "2025-09", "amount": D("5.00")}
    config = story.world.settings(**story.world.config, invoices=[invoice])
    shutil.copytree(config.data, tmp_path / "data")
    copy = config.model_copy(update={"home": tmp_path})
    made = closing.close(
        copy, "2025-09", by="C", reason="the invoice came", explanation="marketplace, paid apart"
    )
    assert made.close.notes[2].startswith("tied       explained  a remainder: ")
    assert "marketplace, paid apart" in made.close.notes[2]
    bare = conditions.conditions(made.close.statement, lambda _: [], copy, [])[2]
    assert not bare.holds
    assert f"remains unexplained: {OTHER} billed 0.8847737" in bare.text


def test_parts_of_a_cent_are_named_and_need_no_explanation(settings: Settings) -> None:
    rows = [{"account": "A", "basis": "billed", "total_source": "invoice"}]
    for cents, met in (("0.005", True), ("-0.004", True), ("0.0051", False)):
        tied = [row | {"remainder": D(cents)} for row in rows]
        statement = Statement("2025-09", {}, {"summary": [], "tie_out": tied})
        found = conditions.conditions(statement, lambda _: [], settings, [])[2]
        assert (found.met, f"A billed {cents}" in found.text) == (met, True)


def test_a_month_nobody_knows_is_named(settings: Settings) -> None:
    with pytest.raises(MissingDataError, match=r"2031-01 .there are 2025-05 to 2025-10"):
        drafted(settings, "2031-01", Marts(settings).rows)
    with pytest.raises(MissingDataError, match="no such close: 2025-05"):
        verification.verify(settings, "2025-05")
