"""Writes the monthly digest of the company's savings: text, HTML, and the curve as a picture.

Its amounts, shares and dates are written as on the pages: it is read beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

from jinja2 import Template

from models.closing.monthly_statement import Ask
from models.contract import page_text
from models.contract.decimal_text import UNKNOWN
from models.contract.page_text import GAP, count, day, month_name
from models.contract.schema import PORTFOLIO
from models.documents.paper import Paper
from models.documents.pdf.curve import WIDTH, curve
from models.documents.spreadsheet_text import plain
from models.documents.wording import Formats, reservation, sentence
from models.records.statement import Row
from models.sending.channels import Letter

MOST = 12
"""Workloads that are listed, those with the largest saving or loss first."""
CURVE = "curve.png"
HEADS = ["Workload", "Net saving", "Cumulative", "Status"]
HTML = Path(__file__).with_name("digest.html")
"""Mail programs know inline styles and little else."""
EXPECTED = """
SELECT forecast_low, forecast_median, forecast_high FROM break_even
WHERE workload = '(portfolio)' AND status <> 'broke_even' AND forecast_median IS NOT NULL"""
FORECAST = """
SELECT date, low, median, high FROM forecast_paths JOIN break_even USING (workload)
WHERE workload = '(portfolio)' AND date <= coalesce(forecast_high + INTERVAL 28 DAY, date)
ORDER BY date"""
NEAR = timedelta(days=35)
"""How long after the last drawn day a forecast may begin: one of a later month is none of this."""
PAGE = """
#set page(width: auto, height: auto, margin: 6pt, fill: white)
#image(bytes(sys.inputs.curve), format: "svg", width: 520pt)"""
INCH = 144
"""Pixels of the picture to an inch: it is shown at half its size, for screens that are sharp."""


def dollars(value: Decimal | None) -> str:
    """Formats dollars as the dashboard does; null is `unknown`."""
    return UNKNOWN if value is None else page_text.dollars(value)


def percent(ratio: Decimal | None) -> str:
    """Formats a fraction as a percentage, as the dashboard does; null is `unknown`."""
    return UNKNOWN if ratio is None else page_text.percent(ratio)


AS_ON_PAGES = Formats(month_name, dollars, percent, "the page Finance says why")


def digest_letter(paper: Paper, ask: Ask) -> Letter:
    """Returns a month's digest as a letter, from its statement and the published snapshot."""
    month, whole = paper.statement.month, paper.statement.row(PORTFOLIO)
    fan = _fan(paper.statement.tables["curve"], ask)
    expected = _expected(ask) if fan else []
    reserved = reservation(whole, AS_ON_PAGES)
    first = [sentence(month, whole, AS_ON_PAGES), paper.waiting.text]
    says = [line for line in (*first, *_adjusted(whole), *expected, reserved) if line]
    net = dollars(whole["net_saving"])
    rows, more = _workloads(paper)
    drawn = _picture(curve(paper.statement.tables["curve"], fan))
    images = {CURVE: drawn} if drawn else {}
    return Letter(
        mark=f"digest.{month}",
        subject=f"Savings of training on Trainium, {month_name(month)}: {net} net",
        words="\n\n".join([*says, *_table(rows), *more, _status(paper)]) + "\n",
        html=Template(HTML.read_text(encoding="utf-8"), autoescape=True).render(
            says=says,
            curve=CURVE if drawn else "",
            fan=fan,
            width=WIDTH,
            heads=HEADS,
            rows=rows,
            ends=[*more, _status(paper)],
        ),
        images=images,
    )


def _adjusted(whole: Row) -> list[str]:
    """Returns a line on dollars by which closed months are adjusted; [] if none."""
    moved = whole["adjustments"]
    if moved is None:
        return ["What closed months would be today is unknown."]
    return [f"Closed months are adjusted by {dollars(moved)}."] if moved else []


def _expected(ask: Ask) -> list[str]:
    """Returns a line with expected break-even date and its 80 % range; [] without a forecast."""
    return [
        f"Break-even is expected on {day(row['forecast_median'])} "
        f"(80{GAP}%: {day(row['forecast_low'])} – {_latest(row['forecast_high'])})."
        for row in ask(EXPECTED)
    ]


def _latest(high: date | None) -> str:
    return day(high) if high else "after 24 months or never"


def _fan(drawn: Sequence[Row], ask: Ask) -> list[Row]:
    """Returns weekly forecast rows that continue the curve; [] if none start near its end."""
    if not drawn:
        return []
    last = drawn[-1]["date"]
    weeks = [row for row in ask(FORECAST) if row["date"] > last]
    return weeks if weeks and weeks[0]["date"] <= last + NEAR else []


def _status(paper: Paper) -> str:
    """Returns a line: month closed or draft, cost basis, and through which day it is settled."""
    facts = paper.statement.facts
    through = facts["settled_through"]
    settled = f"settled through {_day(through)}" if through else "no day of the month is settled"
    return f"{_state(paper)}. {str(facts['basis']).capitalize()} cost in US dollars, {settled}."


def _state(paper: Paper) -> str:
    if paper.close is None:
        return f"Draft as of {_day(paper.statement.facts['as_of'])}: the month is not closed"
    at = f"{day(paper.dated.date())}, {paper.dated:%H:%M} UTC"
    return f"Version {paper.close.version}, closed by {paper.close.closed_by} on {at}"


def _day(text: str | None) -> str:
    return day(date.fromisoformat(text)) if text else UNKNOWN


def _workloads(paper: Paper) -> tuple[list[list[str]], list[str]]:
    """Returns lines on the workloads with the largest savings or losses, and how many more."""
    mine = [row for row in paper.statement.tables["summary"] if row["workload"] != PORTFOLIO]
    mine.sort(key=lambda row: (-abs(row["net_saving"] or 0), row["workload"]))
    left = len(mine) - MOST
    more = [f"And {count(left, 'more workload')}."] if left > 0 else []
    return [_line(row) for row in mine[:MOST]], more


def _line(row: Row) -> list[str]:
    status = (row["status"] or "").replace("_", " ")
    return [
        plain(row["workload"]),
        *map(dollars, (row["net_saving"], row["cumulative_net"])),
        status,
    ]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"{name}: {net} net, {total} in all ({status})" for name, net, total, status in rows]
    return ["\n".join(lines)] if lines else []


def _picture(drawn: str) -> bytes | None:
    """Returns an SVG chart as PNG bytes; None for an empty text."""
    if not drawn:
        return None
    import typst  # ten megabytes that only documents need

    content: bytes = typst.compile(
        PAGE.encode(),
        format="png",
        ppi=INCH,
        ignore_system_fonts=True,
        sys_inputs={"curve": drawn},
    )
    return content
