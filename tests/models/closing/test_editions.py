"""What an earlier edition of the method closed: proved, acknowledged, adjusted by its name."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ingest import pull
from models.closing import closing, draft, verification
from models.closing.conditions import new_edition
from models.config.loading import load
from models.config.settings import Settings
from models.contract.errors import CloseError
from models.records.closes import Close, Closes
from models.records.statement import Row
from tests.support.earlier_versions import unpacked
from tests.support.world import one_core

BY_EDITION = "edition 2 of the method computes it; it was closed by edition 1"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Worked example A as a user's folder in which 0.1.0 closed September twice."""
    return load(unpacked("small", tmp_path_factory.mktemp("small")) / "breakeven.toml")


def close(settings: Settings) -> Close:
    (*_, newest) = Closes(settings.data).versions("2025-09")
    return newest


def test_what_0_1_0_closed_is_of_the_first_edition_and_says_so(settings: Settings) -> None:
    verified = verification.verify(settings, "2025-09")
    assert not verified.computed_again
    told = verified.document()
    assert (told["edition"], told["agrees"]) == (1, None)
    assert told["sha256"] == verified.close.statement.sha256


def test_a_delivery_that_is_gone_is_named_though_an_earlier_edition_closed(tmp_path: Path) -> None:
    settings = load(unpacked("small", tmp_path) / "breakeven.toml")
    bill = next(one["id"] for one in close(settings).deliveries if one["source"] == "focus")
    for path in settings.data.glob(f"raw/focus/*/*/{bill}/*.parquet"):
        path.unlink()
    with pytest.raises(CloseError, match="is gone: focus"):
        verification.verify(settings, "2025-09")


def test_consent_is_asked_for_until_a_month_is_closed_by_the_new_edition(
    settings: Settings,
) -> None:
    old = close(settings)
    new = replace(old, statement=replace(old.statement, facts={"edition": "2"}))
    assert new_edition([]) == new_edition([old, new]) == new_edition([new]) == []
    (asked,) = new_edition([old])
    assert not asked.holds
    assert "closed months are of edition 1 of the method; edition 2 counts otherwise" in asked.text
    assert not new_edition([old], acknowledged=1)[0].holds
    assert new_edition([old], acknowledged=2)[0].holds


def test_what_the_edition_changed_is_one_adjustment_apart_from_what_aws_restated(
    tmp_path: Path,
) -> None:
    """The first edition counted $10 more for Trainium; then AWS restates a day by $5."""
    settings = load(unpacked("small", tmp_path) / "breakeven.toml")
    old = close(settings)
    summary = [row | {"trn_cost": row["trn_cost"] + 10} for row in old.statement.tables["summary"]]
    tables = {**old.statement.tables, "summary": summary}
    told = replace(old, version=3, statement=replace(old.statement, tables=tables))
    Closes(settings.data).add(told)
    assert [moved(row) for row in trainium(settings)] == [(-10, "edition", 1500, BY_EDITION)]

    bill = settings.home / "bill.csv"
    (*_, newest) = lines = bill.read_text().splitlines()
    lines.append(newest.replace("2025-10-01", "2025-11-01").replace("2025-10-30", "2025-11-10"))
    bill.write_text("\n".join(lines).replace("Usage,384,384,", "Usage,389,389,", 1) + "\n")
    with one_core():
        pull.pull(settings, ["focus"]).raise_failures()
    edition, restated = trainium(settings)
    assert moved(edition) == (-10, "edition", 1500, BY_EDITION)
    aws = "AWS restated 2025-09 of 999900000001: billed +5.00, effective +5.00"
    assert moved(restated) == (5, "inputs", 1505, aws)
    assert (restated["closed"], restated["adjusted_before"]) == (1510, -10)

    later = settings.model_copy(update={"as_of": date(2025, 11, 15)})
    with one_core():
        made = closing.close(later, "2025-10", by="C", edition=2)
        assert made.close.statement.row("(portfolio)")["adjustments"] == -5
        assert verification.verify(later, "2025-10").computed_again
    assert trainium(later, "2025-11") == []


def trainium(settings: Settings, month: str = "2025-10") -> list[Row]:
    """The adjustments of atlas's Trainium cost that a draft makes."""
    with one_core():
        rows = draft.draft(settings, month).close.statement.tables["adjustments"]
    return [r for r in rows if (r["workload"], r["measure"]) == ("atlas-7b", "trn_cost")]


def moved(row: Row) -> tuple[object, ...]:
    return row["amount"], row["changed_by"], row["now"], row["cause"]
