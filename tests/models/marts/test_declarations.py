"""Each mart says of itself what one row is, in which units, what null means, and whose it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from models.contract.declaration import Whose, declaration
from models.contract.schema import EXPLAINERS, MARTS
from models.marts import MARTS as FUNCTIONS
from models.marts import SPEND_REDUCED, Mart
from tests.support.documentation.worked_examples import section_numbers

METHOD = Path(__file__).parents[3] / "docs" / "method"
EVERY = (SPEND_REDUCED, *FUNCTIONS)


@pytest.mark.parametrize("mart", EVERY, ids=lambda mart: mart.__name__)
def test_a_mart_declares_everything(mart: Mart) -> None:
    declared = declaration(mart)
    assert all((declared.grain, declared.units, declared.nulls, declared.method))
    assert declared.whose in get_args(Whose)


def test_what_is_published_is_declared_as_a_mart_and_the_rest_as_steps() -> None:
    declared = {mart.__name__ for mart in EVERY if declaration(mart).published}
    assert declared == {*MARTS, *EXPLAINERS} - {
        "snapshot",
        "queries",
        "forecast_paths",
        "old_volume",
    }


def test_the_section_that_a_mart_declares_is_written() -> None:
    written = section_numbers(METHOD)
    named = {
        (mart.__name__, number)
        for mart in EVERY
        for number in re.findall(r"\d+(?:\.\d+)?", declaration(mart).method)
    }
    assert {name for name, number in named if number not in written} == set()


def test_a_mart_names_a_section_not_a_whole_chapter() -> None:
    """The words of chapter 1 stand above its sections."""
    coarse = {
        mart.__name__: declaration(mart).method
        for mart in EVERY
        if re.search(r"§([2-9]|\d\d)(?![.\d])", declaration(mart).method)
    }
    assert coarse == {}


def test_one_that_declares_nothing_is_found() -> None:
    def undeclared() -> None: ...

    with pytest.raises(AttributeError):
        declaration(undeclared)
