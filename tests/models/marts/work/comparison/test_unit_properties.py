"""METHOD §3.4: no run of another recipe and no order of delivery changes a kind's unit or work."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import ibis.expr.types as ir
import pytest

from models.marts.work.comparison.kinds_of_lineages import with_kinds
from models.marts.work.comparison.units_of_lineages import units_of_lineages
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

LINE = {"workload": "string", "lineage": "string"}
FLAGS = (
    "counted", "reports", "reports_progress", "recipes_differ", "in_epochs", "in_tokens",
    "in_samples", "on_gpu", "on_trainium", "ended", "reported_late", "partly_reported",
)  # fmt: skip
AMOUNTS = (
    "cost", "epochs", "tokens", "samples", "samples_per_epoch", "least_size", "most_size",
    "epochs_to_target", "tokens_to_target", "samples_to_target",
)  # fmt: skip
FACTS = (
    LINE | {"recipe": "string", "members": "int64"} | dict.fromkeys(FLAGS, "boolean")
    | dict.fromkeys(AMOUNTS, "decimal(38, 9)")
)  # fmt: skip
SHOWN = ("lineage", "unit", "countable", "work", "least_work", "qualifies")


def drawn(luck: random.Random, recipe: str, number: int) -> dict[str, Any]:
    """A lineage of some work, told in some ways, on either chip."""
    gpu, size = luck.random() < 0.6, luck.choice((None, 1_000_000, 1_009_000, 2_000_000))
    epochs = Decimal(luck.randrange(1, 200)) / 10
    in_epochs, in_tokens = luck.random() < 0.7, luck.random() < 0.6
    flags = dict.fromkeys(FLAGS, False) | dict.fromkeys(("counted", "reports", "ended"), True)
    return flags | {
        "workload": "w", "lineage": f"{recipe}-{number}", "recipe": recipe, "members": 1,
        "reports_progress": in_epochs or in_tokens, "in_epochs": in_epochs,
        "in_tokens": in_tokens, "in_samples": bool(in_epochs and size), "on_gpu": gpu,
        "on_trainium": not gpu, "cost": Decimal(luck.randrange(1, 5000)),
        "epochs": epochs if in_epochs else Decimal(0),
        "tokens": epochs * 10**9 if in_tokens else None,
        "samples": epochs * size if in_epochs and size else None,
        "samples_per_epoch": size, "least_size": size, "most_size": size,
    }  # fmt: skip


def _with_units(lineage_facts: ir.Table, token_counts: ir.Table) -> ir.Table:
    return units_of_lineages(with_kinds(lineage_facts, token_counts))


def units(lineages: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What is said of the lineages of `full`."""
    unusable = table(LINE | {"unusable": "string"})
    rows = applied(_with_units, table(FACTS, *lineages), unusable).to_pyarrow().to_pylist()
    mine = [row for row in rows if row["kind"] == "full"]
    return sorted((tuple(row[name] for name in SHOWN) for row in mine), key=str)


@pytest.mark.parametrize("seed", range(40))
def test_no_other_recipe_and_no_order_changes_what_is_told_of_a_kind(seed: int) -> None:
    luck = random.Random(seed)
    full = [drawn(luck, "full", number) for number in range(luck.randrange(1, 7))]
    others = [drawn(luck, "qlora", number) for number in range(luck.randrange(1, 7))]
    alone = units(full)
    assert len(alone) == 3 * len(full)
    both = full + others
    luck.shuffle(both)
    assert units(both) == alone
