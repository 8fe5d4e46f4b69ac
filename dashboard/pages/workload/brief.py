"""Puts together the one-page brief of a workload, in the words of its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dashboard.address.view import View
from dashboard.pages.workload import queries
from dashboard.pages.workload.result_card import result_rows
from dashboard.pages.workload.wording import saved_per_unit
from dashboard.snapshot import break_even, published, unsettled
from dashboard.widgets.headline.going_on import going_on_rows
from dashboard.widgets.headline.sentence import METHODS
from dashboard.wording.break_even import workload_sentence
from dashboard.wording.forecast import FAN_KEY, pace_and_forecast
from dashboard.wording.format import count, day, dollars, number, sentence
from dashboard.wording.investments import investment_kind
from dashboard.wording.judged import judged_sentence
from dashboard.wording.old_volume import why_no_pace
from dashboard.wording.reasons import reason
from dashboard.wording.results import pair_sentence
from dashboard.wording.units import words
from dashboard.wording.unknown import why_no_balance
from models.config.refusals.unknown_keys import known_names
from models.contract.edition import EDITION
from models.contract.errors import MissingDataError
from models.contract.schema import PORTFOLIO
from models.documents.brief.brief_pdf import Brief
from models.documents.pdf.cost_curve import cost_curve
from models.documents.pdf.curve import curve

Row = dict[str, Any]
MOST = 6
"""Reasons that are listed, those with most dollars first; of more, how many."""
WHOLE, MONTHS = View(), View(period="month")
NO_CURVE = "There are not two settled days to draw yet."
BILLED = "runs for the move (port, validation, benchmark, later GPU baseline) and idle of it"
KINDS = (("left_out", "left out"), ("flagged", "counted, with care"))


def brief(workload: str) -> Brief:
    """Puts together a workload's one-page brief. Raises `MissingDataError` for another name."""
    standing, snapshot = break_even.standing(workload), published.snapshot()
    if standing is None or snapshot is None or workload == PORTFOLIO:
        raise MissingDataError(
            "there is no such workload",
            value=workload,
            remedy=known_names(workload, break_even.statuses())
            if snapshot
            else "run `breakeven build`",
        )
    sides = {row["hardware"]: row for row in queries.results(workload)}
    gpu, trn = sides.get("gpu"), sides.get("trainium")
    drawn, note = _curve(workload, standing)
    return Brief(
        workload=workload,
        as_of=snapshot["as_of"],
        standing=f"As of {day(snapshot['as_of'])}; bills settled through "
        f"{day(snapshot['settled_through'])}; US dollars; days are UTC.",
        question=f"Has moving {workload} to Trainium paid for itself?",
        sentence=workload_sentence(standing),
        warnings=list(_warnings(workload, standing)),
        pair=pair_sentence(standing, gpu, trn),
        pair_rows=[list(row) for row in result_rows(gpu, trn)] if gpu and trn else [],
        cost_curve=cost_curve(queries.cost_per_epoch(workload, MONTHS)),
        cost_note=f"Cost {words(standing.get('unit')).per} by month, US dollars.",
        curve=drawn,
        curve_note=note,
        forward=[list(row) for row in going_on_rows(standing)],
        left_out=_left_out(standing),
        basis=list(_basis(workload, standing, snapshot)),
        check=list(_check(workload, snapshot)),
    )


def _warnings(workload: str, standing: Row) -> Iterator[str]:
    """Yields sentences: how much is compared, which dollars wait for bills, what a unit saved."""
    waits = unsettled.waiting_of_workload(workload).text
    if waits:
        waits += f" These dollars are the company's, of days that {workload} does not count yet."
    saved = saved_per_unit(standing, queries.further_kinds(workload))
    yield from filter(None, (judged_sentence(standing), waits, saved))


def _curve(workload: str, standing: Row) -> tuple[str, str]:
    """Returns two texts: the drawn savings curve, and its caption or why there is no curve."""
    rows = [row for row in break_even.curve(workload, WHOLE) if row["settled"]]
    known = [row for row in rows if row["cumulative_net"] is not None]
    fan = break_even.forecast(workload, WHOLE) if len(known) == len(rows) else []
    drawn = curve(known, fan)
    if not drawn:
        return "", NO_CURVE if len(rows) < 2 else f"Unknown: {why_no_balance(standing)}."
    line = f"Through {day(known[-1]['date'])}, after what the move cost."
    if len(known) < len(rows):
        return drawn, f"{line} Unknown since then: {why_no_balance(standing)}."
    return drawn, f"{line} {FAN_KEY}" if fan else line


def _left_out(standing: Row) -> list[list[str]]:
    """Lists, by reason, the dollars that the headline leaves out or flags, largest first."""
    found = [
        (name, kind, amount)
        for column, kind in KINDS
        for name, amount in (standing[column] or {}).items()
    ]
    found.sort(key=lambda each: -abs(each[2] or 0))
    lines = [
        [f"{reason(name)} ({kind})", "unknown" if amount is None else dollars(amount)]
        for name, kind, amount in found[:MOST]
    ]
    more = len(found) - MOST
    return [*lines, *([["More reasons, on the page", number(more)]] if more > 0 else [])]


def _basis(workload: str, standing: Row, snapshot: Row) -> Iterator[list[str]]:
    method = str(snapshot["baseline_method"])
    yield ["Cost", f"{str(snapshot['basis']).capitalize()} cost of the bill, credits apart"]
    yield ["GPU baseline", f"{method.capitalize()}: {METHODS.get(method, method)}"]
    newest = queries.baseline(workload)
    if newest and newest["reason"]:
        yield ["Its runs", sentence(str(newest["reason"]).rstrip("."))]
    if pace := pace_and_forecast(standing, break_even.last_settled(workload)):
        yield ["Pace", pace]
    if standing.get("forecast_reason"):
        yield ["Forecast", sentence(str(standing["forecast_reason"]).rstrip("."))]
    if kinds := break_even.paceless_kinds(workload):
        yield ["At the old volume", sentence(why_no_pace(kinds).rstrip("."))]
    yield from _invested(workload, standing)
    yield ["Method", f"Edition {EDITION}, docs/method"]


def _invested(workload: str, standing: Row) -> Iterator[list[str]]:
    """Yields a table row of what the invested dollars consist of, and one of what is planned.

    The sentence counts up to the workload's own last settled day, whatever other bills wait for.
    """
    rows, until = break_even.investments(workload, WHOLE), break_even.last_settled(workload)
    made = [row for row in rows if until and row["date"] <= until]
    total = standing["cumulative_investment"]
    billed = total - sum(row["amount"] for row in made) if total is not None else None
    texts = _listed(made)
    if billed:
        texts.append(f"{dollars(billed)} on the bill: {BILLED}")
    if texts:
        yield ["Invested", "; ".join(texts) + "."]
    if planned := _listed([row for row in rows if row not in made]):
        yield ["Planned", "; ".join(planned) + "."]


def _listed(rows: Sequence[Row]) -> list[str]:
    shown = [
        f"{dollars(row['amount'])} {investment_kind(row['kind'])} on {day(row['date'])}"
        for row in rows[:MOST]
    ]
    rest = rows[MOST:]
    more = f"{dollars(sum(row['amount'] for row in rest))} in {count(len(rest), 'more item')}"
    return [*shown, *([more] if rest else [])]


def _check(workload: str, snapshot: Row) -> Iterator[str]:
    yield f"Snapshot {snapshot['snapshot_id']}. Each number of the page opens: formula, SQL, lines."
    yield f"breakeven export brief --workload {workload} sets this page anew from the data."
    yield "breakeven lineage break_even names each step from the bill to these figures."
