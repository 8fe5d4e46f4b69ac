"""METHOD §3.1: training steps of known size are tokens or samples."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis.expr.types as ir
from hypothesis import given, settings
from hypothesis import strategies as st

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.schema import BESIDE, CONFIG, PROGRESS
from models.marts.work.progress.differing_sources import differing_sources
from models.marts.work.progress.samples import samples
from tests.support.marts.charged_machines import CHARGES
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
NO_JOBS, NO_CHARGES = table(BESIDE["held_times"]), table(CHARGES)
NO_RUNS = table(CONFIG["config_runs"])
SIZES = {"name": "w", "tokens_per_step": 4_194_304, "samples_per_step": D("512.5")}


def config(*workloads: dict[str, Any]) -> Settings:
    return validated_settings({"as_of": "2025-10-31", "workloads": list(workloads)}, home=Path())


def sample(run: str, step: object, source: str = "mlflow", **told: object) -> dict[str, Any]:
    at = datetime(2025, 9, 1)  # noqa: DTZ001 - rows hold UTC without saying so
    line = {"observed_at": at, "workload": "w", "run": run, "source": source}
    return line | {"step": step and D(str(step))} | told


def inputs(progress: ir.Table, configured: Settings) -> tuple[object, ...]:
    sizes = ("tokens_per_step", "samples_per_step")
    given = ({"workload": w.name} | {n: getattr(w, n) for n in sizes} for w in configured.workloads)
    workloads = table(CONFIG["config_workloads"], *given)
    return progress, NO_JOBS, NO_CHARGES, NO_RUNS, workloads, configured


def counted(configured: Settings, *lines: dict[str, Any]) -> list[tuple[Any, ...]]:
    found = applied(samples, *inputs(table(PROGRESS, *lines), configured))
    return rows(found, "run", "step", "tokens", "samples")


def test_a_step_is_as_much_as_the_config_says() -> None:
    found = counted(config(SIZES), sample("r", 2000), sample("other", 5, workload="x"))
    assert found == [("other", 5, None, None), ("r", 2000, 8_388_608_000, 1_025_000)]


def test_what_a_source_counts_itself_comes_before_its_steps() -> None:
    """`r` tells tokens at one sample: its steps are no tokens anywhere, though still samples."""
    lines = (sample("r", 1), sample("r", 2, tokens=D(9_000_000)))
    assert counted(config(SIZES), *lines) == [
        ("r", 1, None, D("512.5")),
        ("r", 2, 9_000_000, 1025),
    ]


def test_steps_of_a_believed_source_come_before_tokens_of_another() -> None:
    """MLflow's 10 steps are 41,943,040 tokens; a file says a fifth more, and is named."""
    lines = (sample("r", 10), sample("r", None, "file", tokens=D(50_000_000)))
    found = counted(config({"name": "w", "tokens_per_step": 4_194_304}), *lines)
    assert [row[2] for row in found] == [41_943_040, None]
    given = table(PROGRESS, *lines)
    found = applied(differing_sources, *inputs(given, config(SIZES)))
    assert rows(found, "run", "detail") == [
        ("r", "tokens: file says 50000000; 41943040 from mlflow counts")
    ]


def test_a_count_that_is_no_step_makes_no_tokens() -> None:
    assert counted(config(SIZES), sample("r", "1000000000000"))[0][2] is None


@settings(max_examples=20, derandomize=True)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["r", "s"]),
            st.sampled_from(["mlflow", "file"]),
            st.integers(1, 10**6),
            st.none() | st.integers(0, 10**12),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_it_is_what_sql_by_hand_makes_of_it(told: list[tuple[str, str, int, int | None]]) -> None:
    """Whatever a run tells, and however often: by hand and by the mart it is the same."""
    lines = [
        sample(run, step, source, tokens=None if tokens is None else D(tokens))
        for run, source, step, tokens in told
    ]
    drawn = table(PROGRESS, *lines)
    with duckdb.connect() as con:
        con.register("progress", drawn.to_pyarrow())
        due = con.execute(
            """
            WITH each AS (SELECT *, if(bool_or(tokens IS NOT NULL) OVER (
                PARTITION BY run, source), tokens, step * 4194304) AS work FROM progress)
            SELECT run, source, step, if(source = 'file' AND bool_or(source = 'mlflow') OVER (
                PARTITION BY run), NULL, work) AS tokens FROM each
            """
        ).fetchall()
    found = rows(
        applied(samples, *inputs(drawn, config(SIZES))),
        "run",
        "source",
        "step",
        "tokens",
    )
    assert found == sorted(due, key=str)
