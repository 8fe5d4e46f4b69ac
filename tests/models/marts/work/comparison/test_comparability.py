"""METHOD §3.4: which lineages compare, in which unit, and in words why not, by hand."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from models.contract.units import EPOCH, SAMPLES, TOKENS
from models.marts.work.comparison.comparable import comparable
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
BILLION, MILLION = 10**9, 10**6
WORDS = {"e": "in_epochs", "t": "in_tokens", "s": "in_samples"}
Row = dict[str, Any]


def lineage(name: str, said: str = "e", **more: object) -> Row:
    """Ten units for $100, told in epochs, tokens or samples; on GPU if its name begins with g."""
    gpu = name.startswith("g")
    flags = dict.fromkeys(FLAGS, False) | dict.fromkeys(("counted", "reports", "ended"), True)
    flags |= {"on_gpu": gpu, "on_trainium": not gpu, "reports_progress": bool(said)}
    flags |= {flag: letter in said for letter, flag in WORDS.items()}
    did = {"epochs": 10, "tokens": 10 * BILLION, "samples": 10 * MILLION}
    row = {"workload": "w", "lineage": name, "members": 1, "cost": 100} | flags | did | more
    return {"trn_cost": 0 if gpu else row["cost"]} | row


def compared(
    *lineages: Row, unusable: Row | None = None, pinned: str | None = None, quoted: bool = False
) -> dict[str, dict[str, Any]]:
    quote = {"method": "fixed"} if quoted else {}
    settings = validated_settings({"baseline": {"min_runs": 2} | quote}, home=Path())
    words = [{"workload": "w", "lineage": name, "unusable": why}
             for name, why in (unusable or {}).items()]  # fmt: skip
    made = applied(
        comparable,
        table(FACTS, *lineages),
        table(LINE | {"unusable": "string", "samples_unusable": "string"}, *words),
        table({"workload": "string", "unit": "string"}, {"workload": "w", "unit": pinned}),
        settings,
    )
    return {row["lineage"]: row for row in made.to_pyarrow().to_pylist()}


def words(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Why those that do not compare do not."""
    said = {name: row["comparability"] for name, row in found.items()}
    return {name: why for name, why in said.items() if why != "comparable"}


GPU = (lineage("g1"), lineage("g2"))


def test_a_lineage_of_several_recipes_compares_with_nothing_unless_it_reports_nothing() -> None:
    several = {"recipes_differ": True}
    found = compared(
        *GPU,
        lineage("runs", members=2, **several),
        lineage("samples", **several),
        lineage("silent", "", **several),
        lineage("good"),
    )
    assert words(found) == {
        "runs": "its runs differ in recipe",
        "samples": "its samples differ in recipe",
    }
    assert {name for name, row in found.items() if row["not_countable"]} == set()
    assert {name for name, row in found.items() if row["countable"]} == {"g1", "g2", "good"}
    assert {name for name, row in found.items() if row["silent"]} == {"silent"}


def test_without_a_gpu_run_of_the_workload_nothing_compares_but_with_a_quote() -> None:
    lone, silent = lineage("t"), lineage("s", "")
    why = "no GPU run to compare with"
    assert words(compared(lone, silent)) == {"t": why, "s": why}
    found = compared(lone, silent, lineage("tokens", "t", cost=1))
    assert {name: (row["countable"], row["silent"]) for name, row in found.items()} == {
        "t": (True, False), "s": (False, True), "tokens": (False, False),
    }  # fmt: skip
    uncounted = lineage("g1", counted=False)
    assert words(compared(lone, uncounted)) == {"t": why}


def test_a_quote_needs_no_gpu_run_at_all() -> None:
    lone, other = lineage("t"), lineage("other", recipe="x")
    assert words(compared(lone, lineage("s", ""), quoted=True)) == {}
    assert words(compared(*GPU, lone, other, quoted=True)) == {}
    assert words(compared(*GPU, lineage("t", "t"), pinned=TOKENS, quoted=True)) == {
        "g1": "it reports no billions of tokens",
        "g2": "it reports no billions of tokens",
    }
    differs = lineage("t", recipes_differ=True)
    assert words(compared(differs, quoted=True)) == {"t": "its samples differ in recipe"}


def test_each_recipe_needs_a_gpu_run_of_its_own() -> None:
    found = compared(
        *GPU,
        lineage("same"),
        lineage("other", recipe="x"),
        lineage("gx", recipe="y", recipes_differ=True),
        lineage("differs", recipe="y"),
        lineage("silent", "", recipe="x"),
    )
    assert words(found) == {
        "other": "recipe differs",
        "gx": "its samples differ in recipe",
        "differs": "recipe differs",
    }


def test_a_lineage_that_the_unit_does_not_count_says_why() -> None:
    sizes = {"samples_per_epoch": 100, "least_size": 100, "most_size": 100}
    found = compared(
        *GPU,
        lineage("good", cost=10_000),
        lineage("tokens", "t"),
        lineage("sized", **sizes),
        lineage("none", "s"),
    )
    assert words(found) == {
        "tokens": "it reports no epochs",
        "sized": "samples per epoch differ",
        "none": "it reports no epochs",
    }
    assert {name for name, row in found.items() if row["not_countable"]} == set(words(found))
    gpu = [lineage(name, "et") for name in ("g1", "g2")]
    lost = {"t": "run t made epochs while its token counter did not rise", "e": "not asked"}
    found = compared(
        *gpu, lineage("t", "et"), lineage("e"), lineage("good", "t"), unusable=lost, pinned=TOKENS
    )
    assert words(found) == {"t": lost["t"], "e": "it reports no billions of tokens"}
    found = compared(*gpu, lineage("t", "et"), unusable=lost)
    assert words(found) == {}


def test_where_the_unit_counts_no_gpu_run_a_trainium_run_compares_with_none() -> None:
    found = compared(*GPU, lineage("t", "t"), lineage("silent", ""), pinned=TOKENS)
    assert words(found) == {
        "g1": "it reports no billions of tokens",
        "g2": "it reports no billions of tokens",
        "t": "no GPU run reports billions of tokens",
    }


def test_work_is_in_the_unit_and_only_gpu_runs_that_compare_qualify() -> None:
    both = [lineage(name, "et") for name in ("g1", "g2", "t")]
    reached = {"epochs_to_target": 3, "tokens_to_target": 4 * BILLION}
    short = lineage("g3", "et", epochs=Decimal("0.5"), tokens=BILLION // 2, **reached)
    for unit, work, target in ((None, 10, 3), (TOKENS, 10, 4)):
        found = compared(*both, short, lineage("g4", "et", recipes_differ=True), pinned=unit)
        assert [row["work"] for row in found.values()].count(work) == 4
        assert (found["g3"]["work"], found["g3"]["work_to_target"]) == (0.5, target)
        qualified = {name for name, row in found.items() if row["qualifies"]}
        assert qualified == {"g1", "g2"}
        assert {row["unit"] for row in found.values()} == {unit or EPOCH}


@pytest.mark.parametrize(
    ("gpu", "trainium", "unit"),
    [
        (("et", "et"), (("t", 100),), TOKENS),
        (("et", "et"), (("et", 95), ("t", 5)), EPOCH),
        (("et", "et"), (("et", 94), ("t", 6)), TOKENS),
        (("et", "e"), (("t", 100),), EPOCH),  # only one counts tokens
        (("et", "et"), (("e", 50), ("t", 60)), TOKENS),  # neither covers all: the most
        (("et", "et"), (("e", 60), ("t", 50)), EPOCH),
        (("et", "e"), (("e", 10), ("t", 60)), EPOCH),
        (("s",), (("s", 100),), SAMPLES),  # too few, so the first that counts anything
        (("ts",), (("s", 100),), TOKENS),
        (("et", "et"), (("et", 95), ("t", 5), ("", 900)), EPOCH),  # who reports nothing decides not
        (("", ""), (("", 1),), EPOCH),
    ],
)
def test_the_unit_is_the_first_in_which_enough_gpu_runs_and_nearly_all_cost_count(
    gpu: tuple[str, ...], trainium: tuple[tuple[str, int], ...], unit: str
) -> None:
    found = compared(
        *(lineage(f"g{number}", said) for number, said in enumerate(gpu)),
        *(lineage(f"t{number}", said, cost=cost) for number, (said, cost) in enumerate(trainium)),
    )
    assert {row["unit"] for row in found.values()} == {unit}


def test_gpu_runs_of_several_recipes_make_no_unit_enough() -> None:
    gpu = [lineage("g1", "et"), lineage("g2", "et", recipes_differ=True)]
    assert compared(*gpu, lineage("t", "t"))["t"]["unit"] == EPOCH


def test_the_main_kind_is_that_of_most_trainium_cost_then_of_most_gpu_cost() -> None:
    def main(*lineages: Row) -> str:
        """A letter for the kind of each lineage of the main kind, x where it has no recipe."""
        found = compared(*lineages)
        return "".join(sorted(row["kind"] or "x" for row in found.values() if row["main"]))

    ab = [lineage("ga", recipe="a"), lineage("gb", recipe="b", cost=101)]
    assert main(*ab) == "b"
    assert main(*ab, lineage("ta", recipe="a", cost=1)) == "aa"
    differs = {"recipes_differ": True, "cost": 999}
    assert main(*ab, lineage("tb", recipe="b", **differs), lineage("ta", recipe="a")) == "aa"
    assert main(*ab[:1], lineage("gb", recipe="b", **differs)) == "a"
    silent = lineage("t", "", cost=999)
    assert main(*ab, silent) == "bb"
    assert compared(*ab, silent)["t"]["kind"] == "b"
    assert main(*ab, lineage("t", cost=999)) == "x"
    assert main(silent) == "x"
