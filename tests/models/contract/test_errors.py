"""Every message is one line: what, the value, the remedy; several failures are a line each."""

from __future__ import annotations

import pytest

from models.contract.errors import (
    BreakevenError,
    BudgetError,
    CloseError,
    InputError,
    NotReadyError,
    SeveralError,
    SourceError,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BreakevenError("no data"), "no data"),
        (BreakevenError("no data", value="May"), "no data: May"),
        (BreakevenError("no data", remedy="ingest"), "no data (ingest)"),
        (BreakevenError("no data", value="May", remedy="ingest"), "no data: May (ingest)"),
        (BreakevenError("rows", value=0), "rows: 0"),
        (BreakevenError("two\nlines", value="a\n\tb", remedy="c\r\nd"), "two lines: a b (c d)"),
    ],
)
def test_a_message_is_one_line_of_what_value_and_remedy(error: BreakevenError, text: str) -> None:
    assert str(error) == text
    assert error.lines == (text,)


def test_the_problem_is_the_message_without_the_remedy() -> None:
    error = BreakevenError("no data", value="May\n2026", remedy="ingest")
    assert (error.problem, error.remedy) == ("no data: May 2026", "ingest")


def test_a_prefix_names_whom_it_concerns_and_keeps_the_kind_of_error() -> None:
    error = InputError("no data", value="May", remedy="ingest")
    assert error.prefixed("focus") is error
    assert str(error) == "focus: no data: May (ingest)"
    assert error.problem == "focus: no data: May"
    assert str(error.prefixed("")) == "focus: no data: May (ingest)"


def test_several_failed_deliveries_show_the_first_and_list_each() -> None:
    error = SeveralError(
        "2 of 3 deliveries failed",
        [SourceError("s3 did not answer", remedy="wait"), InputError("bad file", value="a.csv")],
    )
    assert str(error) == "2 of 3 deliveries failed, first: s3 did not answer (wait)"
    assert error.lines == ("s3 did not answer (wait)", "bad file: a.csv")


def test_each_missing_condition_of_a_close_is_a_line() -> None:
    error = NotReadyError("2026-09 cannot be closed", ["no invoice", "2 days are not settled"])
    assert str(error) == "2026-09 cannot be closed: no invoice; 2 days are not settled"
    assert error.lines == (
        "2026-09 cannot be closed: no invoice",
        "2026-09 cannot be closed: 2 days are not settled",
    )


def test_who_catches_a_kind_of_failure_catches_its_special_cases() -> None:
    assert issubclass(BudgetError, SourceError)
    assert issubclass(SeveralError, SourceError)
    assert issubclass(NotReadyError, CloseError)
    assert not issubclass(InputError, SourceError)
