"""Progress lines: refusals, and what absent columns mean."""

from __future__ import annotations

import pytest

from models.contract.errors import InputError
from tests.support.some_marts import some_marts
from tests.support.world import World

DAY = "2025-09-02T00:00:00"
PROGRESS = [{"kind": "progress_file", "location": "progress.csv"}]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"epoch": "-1"}, "epoch is negative on line 3: -1 (counters start at 0)"),
        ({"epoch": "half"}, "epoch cannot be read on line 3: half"),
        ({"epoch": "nan"}, "epoch cannot be read on line 3: nan"),
        (
            {"epoch": ""},
            "epoch, samples, tokens and step are missing on line 3: r "
            "(write how far the run is: `epoch`, `samples`, `tokens` or `step`)",
        ),
        (
            {"tokens_per_step": "0", "step": "10"},
            "tokens_per_step is 0 on line 3: 0 (write how many a step",
        ),
        ({"samples_per_step": "-4", "step": "10"}, "samples_per_step is negative on line 3: -4"),
        (
            {"tokens_per_step": "1000000000000", "step": "1000000001"},
            "step × tokens_per_step is too large on line 3: 1000000001",
        ),
        ({"run": ""}, "run is missing on line 3"),
        (
            {"workload": "(portfolio)"},
            "workload is the name of all workloads together on line 3: (portfolio) (give",
        ),
        ({"samples": "-5"}, "samples is negative"),
        ({"start_epoch": "-0.5"}, "start_epoch is negative"),
        ({"epoch": "1000000001"}, "epoch is too large on line 3: 1000000001"),
        ({"tokens": "1e18", "samples": "1000000000000000001"}, "samples is too large"),
        (
            {"observed_at": "1970-01-01T00:03:00Z"},
            "observed_at is before 2010 on line 3: 1970-01-01 00:03:00",
        ),
        (
            {"observed_at": "2099-01-01T00:00:00Z"},
            "observed_at is in the future on line 3: 2099-01-01 00:00:00 (set the clock",
        ),
        ({"loss": "low"}, "loss cannot be read on line 3: low"),
        (
            {"purpose": "validaton"},
            "purpose is not a known word on line 3: validaton "
            "(one of production, baseline, validation, port, benchmark)",
        ),
        (
            {"run": "r" * 257},
            f"run is too long or has a control character on line 3: {'r' * 79}… "
            "(use at most 256 printable characters)",
        ),
        ({"run": "  "}, "run is missing on line 3"),
        ({"workload": "a\x1b[2Jb"}, "workload is too long or has a control character on line 3"),
        ({"recipe": "a\nb"}, "recipe is too long or has a control character on line 3: a·b ("),
        ({"observed_at": "2025-13-01"}, "observed_at cannot be read on line 3: 2025-13-01"),
    ],
)
def test_a_sample_that_cannot_be_is_refused_with_its_file(
    world: World, columns: dict[str, str], said: str
) -> None:
    world.sample(DAY, "r", 0)
    world.samples.append({"observed_at": DAY, "workload": "w", "run": "r", "epoch": 1} | columns)
    with pytest.raises(InputError, match=r"progress\.csv") as caught:
        world.pulled(sources=PROGRESS)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_progress_that_was_good_before_stays(world: World) -> None:
    world.charge(DAY, 1)
    world.sample(DAY, "r", 0)
    world.sample("2025-09-02T09:00:00", "r", 2)
    settings = world.pulled()
    world.sample("2025-09-02T10:00:00", "r", "-1")
    with pytest.raises(InputError):
        world.pulled()
    kept = some_marts(settings, "progress_daily")
    assert kept.row("SELECT sum(epochs) AS e FROM progress_daily") == {"e": 2}


def test_a_name_of_256_characters_is_a_name(world: World) -> None:
    world.sample(DAY, "é" * 256, 0, workload="w b")
    assert world.pulled(sources=PROGRESS)


def test_blanks_around_a_name_are_not_of_it(world: World) -> None:
    world.charge(DAY, 1)
    world.sample(DAY, "r", 0)
    world.sample("2025-09-02T09:00:00", " r ", 2, workload="atlas-7b ")
    found = some_marts(world.pulled(), "progress_daily")
    assert found.rows("SELECT workload, run, epochs FROM progress_daily") == [
        {"workload": "atlas-7b", "run": "r", "epochs": 2}
    ]


def test_more_rows_than_are_read_are_refused_with_their_number(world: World) -> None:
    for epoch in range(3):
        world.sample(DAY, "r", epoch)
    with pytest.raises(InputError) as caught:
        world.pulled(sources=PROGRESS, raw={"max_rows": 2})
    assert str(caught.value) == (
        f"progress_file: {world.folder}/progress.csv has too many rows: 3, at most 2 are read "
        "(deliver it in several files, or raise raw.max_rows)"
    )


def test_steps_of_known_size_are_tokens_or_samples_unless_these_are_told(world: World) -> None:
    """2,000 steps of 4,194,304 tokens and 512 samples; what the last line says itself counts."""
    size = {"tokens_per_step": 4_194_304, "samples_per_step": 512}
    for hour, step, told in ((0, 0, {}), (8, 1000, {}), (9, 2000, {"tokens": 9_000_000_000})):
        at = f"2025-09-02T0{hour}:00:00"
        world.sample(at, "r", "", step=step, **size, **told)
    world.charge(DAY, 1)
    found = some_marts(world.pulled(), "progress_daily").row(
        "SELECT sum(tokens) AS tokens, sum(samples) AS samples FROM progress_daily"
    )
    assert found == {"tokens": 9_000_000_000, "samples": 2000 * 512}
