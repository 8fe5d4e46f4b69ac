"""Defines the look and kinds of columns of all grids: text, dates and numbers, never markup."""

from __future__ import annotations

from typing import Any

from dashboard.wording.theme import HARDWARE

Column = dict[str, Any]

THEME = """themeQuartz.withParams({
  backgroundColor: 'var(--surface)', foregroundColor: 'var(--ink)', borderColor: 'var(--line)',
  headerBackgroundColor: 'var(--surface)', headerTextColor: 'var(--ink-2)',
  accentColor: 'var(--link)',
  rowHoverColor: 'var(--hover)', chromeBackgroundColor: 'var(--surface)', fontFamily: 'inherit',
  fontSize: 12.5, headerFontSize: 12, headerFontWeight: 500, cellHorizontalPadding: 8, iconSize: 13,
  wrapperBorderRadius: 8, browserColorScheme: 'inherit'})"""

DEFAULTS = {
    "sortable": True,
    "resizable": True,
    "filter": True,
    "flex": 1,
    "wrapHeaderText": True,
    "autoHeaderHeight": True,
}
OPTIONS: dict[str, Any] = {
    "theme": {"function": THEME},
    "animateRows": False,
    "rowHeight": 36,
    "enableCellTextSelection": True,
    "ensureDomOrder": True,
}
MARKS = {found.css: f"params.value == '{found.label}'" for found in HARDWARE.values()}
"""CSS rules that draw the hardware's line before its name."""


def left(field: str, title: str, width: int) -> Column:
    """Defines a left-aligned grid column, for text."""
    return {"field": field, "headerName": title, "minWidth": width}


def right(field: str, title: str, width: int) -> Column:
    """Defines a right-aligned grid column, for dates and numbers."""
    return {
        "field": field,
        "headerName": title,
        "type": "rightAligned",
        "filter": False,
        "minWidth": width,
    }


def numeric(
    field: str, title: str, places: int, width: int, meaning: str = "", *, starred_by: str = ""
) -> Column:
    """Defines a grid column of decimal text, which the browser formats and sorts as numbers.

    A `*` follows the number in rows whose field `starred_by` is more than 0.
    """
    value = f"params.data == null || params.data['{field}'] == null"
    value += f" ? null : Number(params.data['{field}'])"
    mark = f" + (Number(params.data['{starred_by}']) > 0 ? ' *' : '')" if starred_by else ""
    known = f"params.value == null ? '–' : d3.format(',.{places}f')(params.value){mark}"
    shown = f"params.data == null ? '' : {known}"  # a row on its way is not a row of unknowns
    return {
        **right(field, title, width),
        "headerTooltip": meaning or title,
        "valueGetter": {"function": value},
        "valueFormatter": {"function": shown},
    }


def dated(field: str, title: str, text: str) -> Column:
    """Defines a grid column that is sorted by time and shows the day."""
    shown = f"params.data == null ? '' : {text}"
    return {**right(field, title, 98), "valueFormatter": {"function": shown}}
