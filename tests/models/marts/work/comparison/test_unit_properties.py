"""METHOD §3.4: in which units a lineage's work can be counted, whoever delivers what and when."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import ibis.expr.types as ir

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
    "cost", "trn_cost", "epochs", "tokens", "samples", "samples_per_epoch", "least_size",
    "most_size", "epochs_to_target", "tokens_to_target", "samples_to_target",
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


def _with_units(lineage_facts: ir.Table, token_counter_checks: ir.Table) -> ir.Table:
    return units_of_lineages(with_kinds(lineage_facts, token_counter_checks))


def units(lineages: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    """What is said of the lineages of `full`: `SHOWN`, after other columns."""
    unusable = table(LINE | {"unusable": "string", "samples_unusable": "string"})
    rows = applied(_with_units, table(FACTS, *lineages), unusable).to_pyarrow().to_pylist()
    mine = [row for row in rows if row["kind"] == "full"]
    return sorted((tuple(row[name] for name in (*names, *SHOWN)) for row in mine), key=str)


def test_no_other_recipe_and_no_order_changes_what_is_told_of_a_kind() -> None:
    """Of forty workloads, each drawn by a seed of its own."""
    full, both = [], []
    for seed in range(40):
        luck, name = random.Random(seed), {"workload": f"w{seed}"}
        mine = [drawn(luck, "full", n) | name for n in range(luck.randrange(1, 7))]
        others = [drawn(luck, "qlora", n) | name for n in range(luck.randrange(1, 7))]
        full += mine
        both += mine + others
    random.Random(40).shuffle(both)
    alone = units(full, "workload")
    assert len(alone) == 3 * len(full)
    assert units(both, "workload") == alone


MILLION = 10**6


def lineage(name: str, size: int | None, cost: int, gpu: bool, most: int = 0) -> dict[str, Any]:
    """Ten epochs of `size` samples each; of some `most` where its runs differ."""
    flags = dict.fromkeys(FLAGS, False) | dict.fromkeys(("counted", "reports", "ended"), True)
    return flags | {
        "workload": "w", "lineage": name, "recipe": "full", "members": 1,
        "reports_progress": True, "in_epochs": True, "on_gpu": gpu, "on_trainium": not gpu,
        "cost": Decimal(cost), "epochs": Decimal(10), "samples_per_epoch": size,
        "least_size": size, "most_size": most or size,
    }  # fmt: skip


def in_epochs(*lineages: dict[str, Any]) -> set[str]:
    """The lineages whose epochs can be counted."""
    return {
        name for name, unit, countable, *_ in units([*lineages]) if unit == "epoch" and countable
    }


def test_epochs_are_of_the_size_that_most_gpu_cost_has() -> None:
    """Whatever is paid for Trainium; within 1 %; and unset equals unset alone."""
    a, b = lineage("a", MILLION, 10, gpu=True), lineage("b", 2 * MILLION, 8, gpu=True)
    c, d = lineage("c", 2 * MILLION, 100, gpu=False), lineage("d", 1_010_000, 1, gpu=False)
    e, f = lineage("e", 1_010_001, 1, gpu=False), lineage("f", None, 1, gpu=False)
    assert in_epochs(a, b, c, d, e, f) == {"a", "d"}
    unset = lineage("g", None, 20, gpu=True)
    assert in_epochs(a, b, c, d, e, f, unset) == {"f", "g"}


def test_where_nothing_ran_on_gpu_they_are_of_the_size_that_most_trainium_cost_has() -> None:
    small, large = lineage("a", MILLION, 10, gpu=False), lineage("b", 2 * MILLION, 11, gpu=False)
    assert in_epochs(small, large) == {"b"}
    assert in_epochs(small, large, lineage("c", MILLION, 2, gpu=False)) == {"a", "c"}


def test_of_sizes_within_one_percent_of_each_other_it_is_one_that_a_gpu_lineage_has() -> None:
    """`c` is within 1 % of the GPU's size, not of the smaller one, which costs as much."""
    gpu, near = lineage("a", 1_009_000, 10, gpu=True), lineage("b", MILLION, 5, gpu=False)
    assert in_epochs(gpu, near, lineage("c", 1_017_000, 0, gpu=False)) == {"a", "b", "c"}


def test_a_lineage_whose_runs_differ_in_size_counts_in_none_and_decides_nothing() -> None:
    mixed = lineage("a", 2 * MILLION, 100, gpu=True, most=3 * MILLION)
    plain, other = lineage("b", MILLION, 10, gpu=True), lineage("c", 2 * MILLION, 5, gpu=True)
    assert in_epochs(mixed, plain, other) == {"b"}
