"""What a pull says of itself, to people, to the journal and to machines."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ingest.pull.report import Report, Result, Step, report_of
from models.contract.errors import InputError, SeveralError, SourceError


def test_a_step_counts_from_one_and_leaves_out_a_total_that_nobody_knows() -> None:
    assert str(Step("focus", "export", "2026-09", 2, 13)) == "focus: export 2026-09 (3 of 13)"
    whose = "account research in us-east-1"
    assert str(Step("cloudwatch", "atlas", "all", 0, 0, whose)) == (
        "cloudwatch of account research in us-east-1: atlas all"
    )


def test_a_source_says_failed_alone_only_where_nothing_came() -> None:
    error = InputError("cut off")
    assert Result("bill", errors=[error]).summary == "failed"
    assert Result("bill", unchanged=1, errors=[error]).summary == (
        "0 new, 1 unchanged, 0 rows, 1 failed"
    )
    assert Result("bill").summary == "0 new, 0 unchanged, 0 rows"


def test_a_source_says_whose_it_is_and_what_it_paid_only_where_it_did() -> None:
    paid = Result("bill", account="999900000002", new=1, rows=12, requests=1)
    paid.dollars = Decimal("0.01")
    assert str(paid) == "bill of 999900000002: 1 new, 0 unchanged, 12 rows, 1 paid request, $0.01"
    assert str(Result("bill", new=1, rows=12)) == "bill: 1 new, 0 unchanged, 12 rows"


def test_two_sources_of_one_name_are_told_apart_by_location_and_nobodys_error_has_no_line() -> None:
    report = Report((Result("focus", location="a", new=1, rows=2), Result("focus", location="b")))
    whole = report_of(SourceError("the disk is full"), report)
    assert whole.lines() == [
        "focus (a): 1 new, 0 unchanged, 2 rows, 0 paid requests, $0",
        "focus (b): 0 new, 0 unchanged, 0 rows, 0 paid requests, $0",
    ]
    assert whole.documents()[-1]["errors"] == ["the disk is full"]
    assert "account" not in whole.documents()[0]


def test_one_failure_is_raised_itself_and_several_are_counted() -> None:
    report = Report((Result("bill", errors=[InputError("cut off")]), Result("prices")))
    with pytest.raises(InputError) as one:
        report.raise_failures()
    assert str(one.value) == "bill: cut off"
    Report((Result("prices"),)).raise_failures()
    twice = (
        Result("z", errors=[InputError("z: has its name already"), InputError("cut off")]),
        Result("a", errors=[InputError("damaged")]),
    )
    with pytest.raises(SeveralError) as several:
        Report(twice).raise_failures()
    assert str(several.value) == "3 deliveries failed (a, z), first: z: has its name already"
    assert several.value.lines == ("z: has its name already", "z: cut off", "a: damaged")
