"""The curve of a planned move is a loss below zero, in its colour too, and a gain above."""

from __future__ import annotations

from decimal import Decimal

from dashboard.pages.decide.what_if_chart import what_if
from dashboard.wording import theme
from models.forecast.migration import Migration
from tests.support.dashboard.figures import named

D = Decimal
ASKED = Migration(D(500), D(400), D(2), D(300), months=4)


def test_what_is_below_zero_is_coloured_as_a_loss_up_to_where_it_crosses() -> None:
    figure = what_if(ASKED, D(-300), D(200), D("1.5"))
    loss, gain = named(figure, "Loss"), named(figure, "Gain")
    assert (loss["fillcolor"], gain["fillcolor"]) == (theme.LOSS, theme.GAIN)
    assert list(zip(loss["x"], loss["y"], strict=True))[:3] == [(0, -300), (1, -100), (1.5, 0)]
    assert (max(loss["y"]), min(gain["y"])) == (0, 0)
    assert (gain["x"][-1], gain["y"][-1]) == (4, 500)


def test_a_move_that_never_pays_has_no_gain() -> None:
    figure = what_if(ASKED, D(-300), D(-50), None)
    assert set(named(figure, "Gain")["y"]) == {0}
    assert named(figure, "Loss")["y"] == [-300, -350, -400, -450, -500]
