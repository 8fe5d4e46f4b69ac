"""A file without its format's columns is refused, with the nearest name or the right kind."""

from __future__ import annotations

import pytest

from models import formats
from models.contract.errors import InputError
from models.intake.required_columns import refuse_columns

FOCUS = set(formats.named("focus").REQUIRED)
CUR2 = set(formats.named("cur2").REQUIRED)


def refused(kind: str, columns: set[str]) -> str:
    with pytest.raises(InputError) as caught:
        refuse_columns(formats.named(kind), sorted(columns), "s3://b/k")
    return str(caught.value)


@pytest.mark.parametrize("kind", ["focus", "cur2", "progress", "cloudwatch"])
def test_a_file_with_the_required_columns_and_others_is_accepted(kind: str) -> None:
    form = formats.named(kind)
    refuse_columns(form, [*form.REQUIRED, "more"], "a.csv")


def test_a_missing_column_is_named_with_one_that_is_spelt_like_it() -> None:
    assert refused("focus", FOCUS - {"BilledCost"} | {"Billed_Cost"}) == (
        "s3://b/k: required column missing: BilledCost "
        "(Billed_Cost is there: rename it, then deliver again)"
    )


def test_a_column_is_not_found_under_another_case() -> None:
    assert refused("progress", {"observed_at", "workload", "Run", "epoch"}) == (
        "s3://b/k: required column missing: run (Run is there: rename it, then deliver again)"
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [("epochs", "epoch"), ("Sample-per-epoch", "samples_per_epoch"), ("tokens", None),
     ("samples_per_sec", None), ("learning_rate", None), ("tokens_s", None), ("epcoh", "epoch"),
     ("resumed_form", "resumed_from"), ("porpose", "purpose"), ("los", "loss"),
     ("train_loss", None), ("epoch_time", None)],
)  # fmt: skip
def test_a_known_column_that_is_spelt_otherwise_is_refused(written: str, meant: str | None) -> None:
    """Its values would be left out in silence."""
    columns = {"observed_at", "workload", "run", "step", written}
    if meant is None:
        refuse_columns(formats.named("progress"), columns, "a.csv")
    else:
        assert refused("progress", columns) == (
            f"s3://b/k: unknown column: {written} "
            f"(did you mean {meant}? rename it, then deliver again)"
        )


def test_a_column_that_nothing_resembles_must_be_exported() -> None:
    assert refused("progress", {"observed_at", "workload", "epoch"}) == (
        "s3://b/k: required column missing: run (export it too, then deliver again)"
    )


def test_the_first_missing_column_is_named_in_the_order_of_the_format() -> None:
    assert refused("progress", {"epoch"}).startswith(
        "s3://b/k: required column missing: observed_at "
    )


@pytest.mark.parametrize(
    ("kind", "columns", "message"),
    [
        (
            "focus",
            CUR2,
            "not a FOCUS export: it is a Cost and Usage Report (CUR 2.0) "
            '(set kind = "cur2" in this [[sources]] entry, then ingest again)',
        ),
        (
            "cur2",
            FOCUS,
            "not a Cost and Usage Report (CUR 2.0): it is a FOCUS export "
            '(set kind = "focus" in this [[sources]] entry, then ingest again)',
        ),
        (
            "progress",
            FOCUS,
            "not progress: it is a FOCUS export "
            '(set kind = "focus" in this [[sources]] entry, then ingest again)',
        ),
    ],
)
def test_a_bill_of_another_kind_is_recognised_and_its_kind_is_the_remedy(
    kind: str, columns: set[str], message: str
) -> None:
    assert refused(kind, columns) == f"s3://b/k: {message}"


def test_a_bill_is_not_another_kind_if_one_of_its_own_columns_is_there() -> None:
    found = refused("cur2", FOCUS | {sorted(CUR2)[0]})
    assert "required column missing" in found
