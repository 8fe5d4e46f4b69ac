"""What small parts show for a loss, for what is unknown, and for nothing at all."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from dash import html
from hypothesis import given
from hypothesis import strategies as st

from dashboard.pages.overview.wording import next_action
from dashboard.widgets.controls import any_of, choice
from dashboard.widgets.explain import explain
from dashboard.widgets.headline.net_savings import net_savings
from dashboard.widgets.headline.sentence import emphasised
from dashboard.widgets.indicators import hardware_name, parity_mark, progress_bar
from dashboard.widgets.notices import notices
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.tables.plain_table import listing
from dashboard.widgets.tables.runs_grid import SHOWN, runs_grid
from dashboard.wording.explanations.overview import MONTH
from dashboard.wording.format import dollars, percent
from dashboard.wording.unknown import shown_status, why_unknown
from tests.support.dashboard.figures import D, days
from tests.support.dashboard.standings import NONE, STANDING
from tests.support.dashboard.text import text


def test_a_cell_of_a_table_is_money_words_or_unknown() -> None:
    table = listing(
        "L", ("Name", "Note", "Cost, $"), [["a", "b", D("-1234.505")], ["c", None, None]], 2
    )
    assert text(table) == "Name Note Cost, $ a b −1,234.51 c – –"


def test_what_is_not_recovered_is_an_empty_bar_and_a_dash() -> None:
    bar: Any = progress_bar(None, "quiet", "Recovered")
    assert (bar.children.style, getattr(bar, "aria-label")) == (
        {"width": "0.00%"},
        "Recovered: –",
    )
    part: Any = progress_bar(D("0.82456"), "going", "Recovered")
    assert part.children.style == {"width": "82.46%"}


def test_quality_and_hardware_that_nobody_knows_are_not_guessed() -> None:
    assert (parity_mark(None), parity_mark("of_a_newer_build")) == ("–", "–")
    assert text(parity_mark("below_parity")) == "Below par"
    assert text(hardware_name("trainium", " trn1")) == "Trainium trn1"
    assert text(hardware_name(None)) == "Unknown hardware"


@given(
    st.decimals(min_value=-(10**8), max_value=10**8, places=2),
    st.decimals(min_value=0, max_value=9, places=2),
)
def test_amounts_are_bold_and_no_letter_of_the_sentence_is_lost(
    value: Decimal, share: Decimal
) -> None:
    sentence = f"It stands at {dollars(value)}, {percent(share)} of it; runs: 3."
    parts = emphasised(sentence)
    assert "".join(part if isinstance(part, str) else part.children for part in parts) == sentence
    bold = [part.children for part in parts if isinstance(part, html.B)]
    assert bold == [dollars(value), percent(share)]


@pytest.mark.parametrize(
    ("status", "amounts", "said"),
    [
        ("losing", {"saving_per_epoch": None}, "Losing money. In its last 84 days"),
        (
            "losing",
            {"saving_per_epoch": D("-14.125")},
            "an epoch cost $14.13 more on average, overhead apart.",
        ),
        ("losing", {"saving_per_epoch": D(2)}, "an epoch saved $2.00 on average, overhead apart."),
        ("insufficient_baseline", {}, "so no saving is shown, not even zero."),
        ("recovering", {"parity": "mixed"}, "Mixed quality. Some runs end with a worse loss"),
        ("recovering", {"left_out": {"cost_unknown": None}}, "An unknown part of the saving is"),
        ("recovering", {"left_out": {"unsettled": D(0)}}, "$0 of saving is not counted yet"),
        ("recovering", {"flagged": {"pending": D("-3.5")}}, "$3.50 of loss belongs to runs"),
        (
            "recovering",
            {"flagged": {"unverified": D(9)}},
            "although no GPU run has a final loss to compare with: equal quality is assumed.",
        ),
    ],
)
def test_each_reservation_is_a_notice(status: str, amounts: dict[str, Any], said: str) -> None:
    row = STANDING | {"status": status, "parity": None, "flagged": None, "left_out": None}
    assert said in text(notices(row | amounts))


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"cumulative_gross_saving": D(500)}, "some Trainium hours outside any run have no cost"),
        ({"gross_saving": D(20)}, None),
        ({"trn_cost": None}, None),
        ({}, "the cost of no Trainium run is known: no saving is claimed; forecast: none"),
    ],
)
def test_where_a_cost_is_missing_nobody_is_told_to_finish_gpu_runs(
    known: dict[str, Any], reason: str | None
) -> None:
    row = NONE | {"status": "insufficient_baseline", "reason": reason} | known
    assert shown_status(row) == "cost_unknown"
    assert why_unknown(row) == "a cost that counts against it is not known"
    assert next_action(row) == "See on its page which cost is missing."
    assert "A cost that counts against the saving is not known" in text(
        notices(STANDING | {"parity": None, "flagged": None, "left_out": None} | row)
    )


@pytest.mark.parametrize(
    "paused", [{}, {"gross_saving": D(0), "net_saving": D(0), "trn_cost": D(0)}]
)
def test_where_gpu_runs_are_too_few_that_is_the_status(paused: dict[str, Any]) -> None:
    """Also in a month in which nothing trained, whose saving is 0."""
    row = {"status": "insufficient_baseline", "reason": "insufficient baseline: fewer than 2"}
    assert shown_status(row | paused) == "insufficient_baseline"


def test_a_balance_of_unknown_investment_says_that_the_migrations_cost_is_unknown() -> None:
    standing = NONE | {"status": "recovering", "cumulative_net_saving": D(4000)}
    shown = net_savings(standing, days(-100, 20, None, None, unsettled=1), [], [])
    assert "Unknown since 3 Oct 2026: what the migration cost is not known yet." in text(shown)


def test_the_known_part_of_a_curve_is_drawn_where_a_cost_is_missing_later() -> None:
    standing = NONE | {"status": "insufficient_baseline", "cumulative_gross_saving": D(4000)}
    shown = text(net_savings(standing, days(-100, 20, None, None, unsettled=1), [], []))
    assert "Unknown since 3 Oct 2026: a cost that counts against it is not known." in shown


def test_without_a_reservation_there_is_no_notice() -> None:
    row = STANDING | {"status": "broke_even", "parity": "parity", "flagged": {}, "left_out": None}
    assert notices(row) == []
    assert notices(row | {"left_out": {"of_a_newer_build": D(5)}}) == []


def test_a_curve_that_broke_off_says_since_when_and_why() -> None:
    shown = net_savings(
        NONE | {"status": "recovering"}, days(-100, 20, None, None, unsettled=1), [], []
    )
    assert "Unknown since 3 Oct 2026: what the GPU would have cost is not known" in text(shown)
    losing = net_savings(NONE | {"status": "losing"}, days(-100, -140), [], [])
    assert "Forecast: not enough data yet." in text(losing)


def test_a_filter_of_the_address_that_nothing_has_stays_chosen() -> None:
    options = [{"label": "Hardware: GPU", "value": "hardware=gpu"}]
    box: Any = any_of({}, "Only", options, ["team=gone", "hardware=gpu"], "all").children[1]
    assert box.value == ["team=gone", "hardware=gpu"]
    assert box.options == [*options, {"label": "team=gone", "value": "team=gone"}]
    radio: Any = choice({}, "By", {"week": "Week", "month": "Month"}, "month").children[1]
    assert (radio.options[0], radio.value) == ({"label": "Week", "value": "week"}, "month")


def test_each_number_leads_to_its_statements_and_rows() -> None:
    shown = str(explain(MONTH))
    assert f"href='/source/{MONTH.key}'" in shown
    assert all(f"href='#sql-{mart}'" in shown for mart in MONTH.marts)


def test_before_the_first_build_the_page_says_what_to_run() -> None:
    assert "breakeven init It asks where the bill is" in text(nothing_published())
    damaged = text(nothing_published("marts.duckdb is damaged: build again"))
    assert damaged.startswith("What was published cannot be read. marts.duckdb is damaged")
    assert "breakeven init" not in damaged


@pytest.mark.parametrize(("runs", "layout"), [(SHOWN, "autoHeight"), (SHOWN + 1, "normal")])
def test_a_long_list_of_runs_scrolls(runs: int, layout: str) -> None:
    names = ("hardware", "platform", "purpose", "started_at", "ended_at", "epochs", "flags")
    names += ("accelerator_hours", "final_loss", "parity", "comparability", "unsettled", "cost")
    names += ("cost_per_epoch", "idle_cost", "repeated_cost", "cost_to_target_loss", "unit")
    names += ("identified_by", "wait_hours")
    row = dict.fromkeys(names) | {"workload": "atlas-7b", "cost": D("2.675")}
    grid: Any = runs_grid([row | {"run": str(number)} for number in range(runs)], "grid")
    assert grid.dashGridOptions["domLayout"] == layout
    shown = [column["field"] for column in grid.columnDefs]
    assert shown == ["run", "hardware", "ended", "cost"]
    assert (grid.rowData[0]["hardware"], grid.rowData[0]["cost"]) == ("Unknown", "2.68")
