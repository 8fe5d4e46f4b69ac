"""Renders the page for unknown addresses; Dash finds it by the name of this module."""

from __future__ import annotations

from dash.development.base_component import Component

from dashboard.widgets.page_states import not_found


def layout(**_query: str) -> Component:
    """Builds the Dash layout for unknown addresses, with a link back to the Overview."""
    return not_found("There is no page at this address", "It may have been mistyped, or moved.")
