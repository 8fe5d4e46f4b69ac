"""Days without a gap between them form one spell, per owner."""

from __future__ import annotations

from datetime import date

from models.contract.rules.consecutive_days import with_spells
from tests.support.marts.hand_written_tables import table


def test_a_gap_begins_a_new_spell_and_owners_are_apart() -> None:
    days = [("a", 1), ("a", 2), ("a", 3), ("a", 7), ("b", 2), ("b", 4)]
    given = table(
        {"owner": "string", "date": "date"},
        *({"owner": owner, "date": date(2025, 5, day)} for owner, day in days),
    )
    found = with_spells(given, ["owner"]).to_pyarrow().to_pylist()
    spells: dict[tuple[str, int], list[int]] = {}
    for row in sorted(found, key=lambda row: (row["owner"], row["date"])):
        spells.setdefault((row["owner"], row["spell"]), []).append(row["date"].day)
    assert [(owner, *days) for (owner, _), days in spells.items()] == [
        ("a", 1, 2, 3),
        ("a", 7),
        ("b", 2),
        ("b", 4),
    ]
