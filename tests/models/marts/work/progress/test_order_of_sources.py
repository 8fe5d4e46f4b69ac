"""METHOD §3.3: of several sources of a run the first counts per measure; others are named."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis.expr.types as ir
import pytest

from models.config.loading import validated_settings
from models.contract.rules.work.progress_sources import SOURCES
from models.contract.schema import BESIDE, CONFIG, PROGRESS
from models.marts.work.progress.differing_sources import differing_sources
from models.marts.work.progress.samples import samples
from tests.support.marts.charged_machines import CHARGES
from tests.support.marts.compiled_once import Made, applied
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
NO_JOBS, NO_CHARGES = table(BESIDE["held_times"]), table(CHARGES)
NO_RUNS, NO_WORKLOADS = (table(CONFIG[name]) for name in ("config_runs", "config_workloads"))
SETTINGS = validated_settings({"as_of": "2025-10-31"}, home=Path())
TRUTH = """
SELECT run, strftime(observed_at, '%d'), source,
    if(rank = min(rank) FILTER (epoch IS NOT NULL) OVER w, epoch, NULL) AS epoch,
    if(rank = min(rank) FILTER (tokens IS NOT NULL) OVER w, tokens, NULL) AS tokens,
    if(rank = min(rank) FILTER (loss IS NOT NULL) OVER w, loss, NULL) AS loss
FROM (SELECT *, list_position(?, source) AS rank FROM progress)
WINDOW w AS (PARTITION BY workload, run) ORDER BY ALL"""


def sample(day: int, run: str, source: str, **told: object) -> dict[str, Any]:
    at = datetime(2025, 9, day)  # noqa: DTZ001 - rows hold UTC without saying so
    return {"observed_at": at, "workload": "w", "run": run, "source": source, **told}


GIVEN = [
    # MLflow tells what the emitter tells, and tokens, too; a file tells 12 epochs for 10
    sample(1, "both", "emitter", epoch=D(5), loss=1.5),
    sample(2, "both", "emitter", epoch=D(10), loss=1.4),
    sample(1, "both", "mlflow", epoch=D(5), tokens=D(500), loss=1.5),
    sample(3, "both", "mlflow", epoch=D("10.1"), tokens=D(1000), loss=1.4),
    sample(4, "both", "file", epoch=D(12), tokens=D(1000), loss=float("nan"), recipe="full"),
    # one source alone, whatever it is; and the first by a hair
    sample(1, "alone", "file", epoch=D(3), loss=2.0),
    sample(1, "late", "sagemaker", loss=2.0),
    sample(2, "late", "file", epoch=D(4), loss=3.0),
    sample(3, "late", "file", epoch=D(6), loss=2.0),
]


@pytest.fixture(scope="module")
def counted() -> list[tuple[Any, ...]]:
    return by_day(table(PROGRESS, *GIVEN))


def by_day(given: ir.Table) -> list[tuple[Any, ...]]:
    found = of_samples(given)
    columns = ("run", "observed_at", "source", "epoch", "tokens", "loss")
    return [(run, f"{at:%d}", *rest) for run, at, *rest in rows(found, *columns)]


def of_samples(given: ir.Table) -> Made:
    return applied(samples, given, NO_JOBS, NO_CHARGES, NO_RUNS, NO_WORKLOADS, SETTINGS)


def test_the_first_source_that_tells_a_measure_counts_for_it(
    counted: list[tuple[Any, ...]],
) -> None:
    """Epochs and loss of `both` are the emitter's; tokens, which it does not tell, are MLflow's."""
    assert [row for row in counted if row[0] == "both"] == [
        ("both", "01", "emitter", 5, None, 1.5),
        ("both", "01", "mlflow", None, 500, None),
        ("both", "02", "emitter", 10, None, 1.4),
        ("both", "03", "mlflow", None, 1000, None),
        ("both", "04", "file", None, None, None),
    ]
    assert [row[2:] for row in counted if row[0] == "late"] == [
        ("sagemaker", None, None, 2.0), ("file", 4, None, None), ("file", 6, None, None)
    ]  # fmt: skip


def test_it_is_what_sql_by_hand_makes_of_it(counted: list[tuple[Any, ...]]) -> None:
    with duckdb.connect() as con:
        con.register("progress", table(PROGRESS, *GIVEN).to_pyarrow())
        due = con.execute(TRUTH, [list(SOURCES)]).fetchall()
    assert sorted(due, key=str) == counted


def test_what_a_run_is_comes_from_every_source() -> None:
    """A recipe is no measure: it stands where it was told."""
    found = of_samples(table(PROGRESS, *GIVEN))
    assert ("both", "full") in rows(found, "run", "recipe")


def disagreeing(given: ir.Table, held: ir.Table = NO_JOBS) -> Made:
    return applied(differing_sources, given, held, NO_CHARGES, NO_RUNS, NO_WORKLOADS, SETTINGS)


def test_sources_that_tell_otherwise_are_named_with_both_numbers() -> None:
    """One percent apart is no difference, no number none; the last loss counts, not the highest."""
    found = rows(disagreeing(table(PROGRESS, *GIVEN)), "run", "detail")
    assert found == [("both", "epoch: file says 12; 10 from emitter counts")]
    worse = [*GIVEN, sample(5, "late", "file", loss=2.1)]
    found = rows(disagreeing(table(PROGRESS, *worse)), "run", "detail")
    assert ("late", "loss: file says 2.1; 2 from sagemaker counts") in found


def differing(*given: dict[str, Any]) -> list[tuple[Any, ...]]:
    found = disagreeing(table(PROGRESS, *given))
    return rows(found, "run", "first_day", "last_day", "detail")


def test_a_difference_is_told_with_its_days_and_every_measure_that_differs() -> None:
    """From the first to the last sample of what differs; a sample without it is none of them."""
    given = [sample(day, "r", "emitter", epoch=D(10), tokens=D(200)) for day in (1, 9)]
    given += [sample(day, "r", "file", epoch=D(8)) for day in (4, 6)]
    given += [sample(2, "r", "mlflow", tokens=D(210)), sample(3, "r", "mlflow", tokens=D(220))]
    given += [sample(8, "r", "mlflow", recipe="full")]
    given += [sample(5, "r", "emitter", loss=2.0), sample(5, "r", "mlflow", loss=3.0)]
    told = "epoch: file says 8; 10 from emitter counts; loss: mlflow says 3; 2 from emitter counts"
    told += "; tokens: mlflow says 220; 200 from emitter"
    days = datetime(2025, 9, 2).date(), datetime(2025, 9, 6).date()  # noqa: DTZ001
    assert differing(*given) == [("r", *days, f"{told} counts")]


def test_a_counter_without_repeats_tells_of_a_resumed_run_what_it_did_itself() -> None:
    """It resumed at 3 and did 2: MLflow tells 5. Of a run that resumed none both tell the same."""
    counter = {"epoch": D(2), "excludes_repeats": True}
    given = [sample(1, "r", "cloudwatch", **counter), sample(1, "r", "mlflow", epoch=D(5))]
    assert [row[-1] for row in differing(*given)] == [
        "epoch: mlflow says 5; 2 from cloudwatch counts"
    ]
    given[1]["resumed_from"] = "p"
    assert differing(*given) == []


def test_a_source_whose_samples_have_no_time_is_named_where_jobs_tell_one() -> None:
    """The file's 20 epochs are laid over the hours of the 2nd in which the run held machines."""
    untimed = sample(1, "r", "file", epoch=D(20), step=D(1)) | {"observed_at": None}
    began = datetime(2025, 9, 2)  # noqa: DTZ001
    job = {"workload": "w", "run": "r", "began": began, "ended": began.replace(hour=12)}
    given = table(PROGRESS, sample(1, "r", "emitter", epoch=D(10)), untimed)
    found = disagreeing(given, table(BESIDE["held_times"], job))
    told = "epoch: file says 20; 10 from emitter counts"
    assert rows(found, "first_day", "detail") == [(began.date(), told)]


def test_one_percent_apart_below_zero_and_an_infinite_loss_are_no_difference() -> None:
    given = [sample(1, "exact", "emitter", epoch=D(100)), sample(1, "exact", "file", epoch=D(101))]
    given += [
        sample(1, "below", name, loss=loss) for name, loss in (("emitter", -2), ("file", -2.01))
    ]
    given += [sample(1, "inf", "emitter", loss=2.0), sample(1, "inf", "file", loss=2.0)]
    given.append(sample(2, "inf", "file", loss=float("inf")))
    assert differing(*given) == []
    given.append(sample(2, "below", "file", loss=-2.1))
    assert [row[-1] for row in differing(*given)] == [
        "loss: file says -2.1; -2 from emitter counts"
    ]


def test_a_sample_of_a_day_to_come_decides_nothing() -> None:
    ahead = sample(1, "alone", "emitter", epoch=D(99))
    ahead["observed_at"] = datetime(2025, 12, 1)  # noqa: DTZ001
    given = table(PROGRESS, *GIVEN, ahead)
    kept = rows(of_samples(given), "run", "source", "epoch")
    assert [row[1:] for row in kept if row[0] == "alone"] == [("file", 3)]
    assert "alone" not in {run for (run,) in rows(disagreeing(given), "run")}


def test_the_order_of_arrival_changes_nothing(counted: list[tuple[Any, ...]]) -> None:
    assert by_day(table(PROGRESS, *reversed(GIVEN))) == counted
