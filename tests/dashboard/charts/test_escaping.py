from __future__ import annotations

from dashboard.pages.compare.spread import short


def test_a_name_in_a_figure_is_text_and_its_quotation_marks_are_no_entities() -> None:
    """Plotly draws `&quot;` as it stands."""
    assert short("a <b>&\"'") == "\u2068a &lt;b&gt;&amp;\"'\u2069"
