"""METHOD §8 B, told by every source there is: the same epochs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from ingest.emit import Progress
from tests.support.ingest import emf
from tests.support.ingest.fake_aws import ENVIRONMENT, Fake
from tests.support.ingest.mlflow_experiments import Experiment, instant
from tests.support.ingest.training_jobs import job
from tests.support.loopback import serving
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.wandb.server import AnsweringServer, WandBServer
from tests.support.world import World, write

Samples = dict[str, list[tuple[str, float]]]
B: Samples = {
    "b": [
        ("2025-10-29T21:00:00", 0.0),
        ("2025-10-29T23:59:00", 3.0),
        ("2025-10-30T00:30:00", 2.0),
        ("2025-10-30T01:00:00", 2.5),
        ("2025-10-30T06:00:00", 5.0),
    ],
    "p": [("2025-10-29T21:00:00", 0.0), ("2025-10-29T23:59:00", 3.0)],
    "q": [("2025-10-30T00:00:00", 3.0), ("2025-10-30T06:00:00", 5.0)],
}
"""0.0, 3.0, restart: 2.0, 2.5, then 5.0; and a resume as a new run, from 3.0 to 5.0."""
ALGORITHM = "/aws/sagemaker/TrainingJobs"
EMITTED, MAPPED, SEARCHED = "cloudwatch", "algorithm metrics", "searched"
SOURCES = {
    "csv": {"kind": "progress_file", "name": "csv", "location": "csv.csv"},
    "jsonl": {"kind": "progress_file", "name": "jsonl", "location": "lines.jsonl"},
    EMITTED: {"kind": "cloudwatch", "region": "us-east-1"},
    MAPPED: {
        "kind": "cloudwatch",
        "name": "algorithm",
        "region": "us-east-1",
        "namespace": ALGORITHM,
        "workload": MAPPED,
        "dimensions": {"run": "TrainingJobName"},
        "metrics": {"epoch": "train:epoch"},
    },
    SEARCHED: {
        "kind": "cloudwatch",
        "name": SEARCHED,
        "region": "us-east-1",
        "namespace": "Searched",
        "find": "search",
    },
    "sagemaker": {"kind": "sagemaker", "region": "us-east-1"},
    "mlflow": {"kind": "mlflow"},
    "wandb": {"kind": "wandb", "entity": "team", "token_file": "key"},
}
ONLY_LAST = ("sagemaker",)
"""They tell the last value of each job, and a restart is a job of its own; repeats do not show."""


def told(source: str) -> Iterator[dict[str, Any]]:
    for run, samples in B.items():
        for moment, epoch in samples:
            named = {"workload": source, "run": f"{source} {run}"}
            yield {"observed_at": moment, **named, "epoch": epoch}


def emitted(whose: str = EMITTED, namespace: str = "Breakeven") -> list[dict[str, Any]]:
    """What CloudWatch makes of the emitter's lines."""
    lines = [
        Progress(sample["workload"], sample["run"]).line(
            instant(sample["observed_at"]) / 1000, Epoch=sample["epoch"]
        )
        for sample in told(whose)
    ]
    return [{**one, "namespace": namespace} for one in emf.metrics("\n".join(lines))]


def algorithm() -> list[dict[str, Any]]:
    """What SageMaker publishes of the values that a job's log has."""
    return [
        {
            "namespace": ALGORITHM,
            "name": "train:epoch",
            "dimensions": {"TrainingJobName": sample["run"]},
            "points": [[f"{sample['observed_at']}Z", sample["epoch"]]],
        }
        for sample in told(MAPPED)
    ]


def jobs() -> Iterator[dict[str, Any]]:
    """A job for each start of a run."""
    lasts = {"b-1": B["b"][1], "b-2": B["b"][4], "p-1": B["p"][1], "q-1": B["q"][1]}
    for name, (moment, epoch) in lasts.items():
        tags = {"workload": "sagemaker", "run": f"sagemaker {name[0]}"}
        tags |= {} if name[0] == "q" else {"start_epoch": "0"}
        metric = {"MetricName": "epoch", "Value": epoch, "Timestamp": f"{moment}Z"}
        yield job(name, "29", FinalMetricDataList=[metric], Tags=tags)


def logged(url: str) -> None:
    experiment = Experiment(url, "METHOD B")
    for run, samples in B.items():
        labels = {"workload": "mlflow", "run": f"mlflow {run}"}
        experiment.log(experiment.run(run, samples[0][0], **labels), "epoch", samples)


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> str | None:
    """A real MLflow server, where one is installed."""
    try:
        url: str = request.getfixturevalue("mlflow_server")
    except pytest.skip.Exception:
        return None
    logged(url)
    return url


def logged_there(wandb: WandBServer) -> None:
    for run, samples in B.items():
        made = wandb.run("METHOD B", run, samples[0][0], workload="wandb", run=f"wandb {run}")
        for moment, epoch in samples:
            made.log(moment, epoch=epoch)


@pytest.fixture(scope="module")
def marts(
    server: str | None, aws_server: Fake, tmp_path_factory: pytest.TempPathFactory
) -> SomeMarts:
    folder = tmp_path_factory.mktemp("same")
    again = [{**one, "epoch": one["epoch"] * 2} for one in told(EMITTED)]
    write(folder / "csv.csv", [*told("csv"), *again])
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, told("jsonl"))))
    metrics = [*emitted(), *emitted(SEARCHED, "Searched"), *algorithm()]
    aws_server.shows(metrics=metrics, jobs=list(jobs()), now="2025-10-31T12:00:00Z")
    world = World(folder)
    world.charge("2025-10-31T00:00:00", "1.00")
    wandb = WandBServer()
    logged_there(wandb)
    (folder / "key").write_text(wandb.key)
    resumed = [{"run": f"{name} q", "resumed_from": f"{name} p"} for name in SOURCES]
    with serving(AnsweringServer(wandb)), pytest.MonkeyPatch.context() as patch:
        asked = SOURCES | {
            "mlflow": {"kind": "mlflow", "location": server, "experiments": ["METHOD B"]},
            "wandb": SOURCES["wandb"] | {"location": wandb.url},
        }
        sources = [source for name, source in asked.items() if server or name != "mlflow"]
        for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": aws_server.url}.items():
            patch.setenv(name, value)
        settings = world.pulled(
            sources=[{"kind": "focus", "location": "bill.csv"}, *sources],
            runs=resumed,
            as_of="2025-10-31",
        )
    return some_marts(settings, "progress_daily", "unmatched_runs")


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_tells_the_same_epochs(
    source: str, marts: SomeMarts, server: str | None
) -> None:
    if source == "mlflow" and not server:
        pytest.skip("needs MLflow's server: pip install mlflow-skinny sqlalchemy alembic")
    asked = """SELECT run, sum(epochs) AS epochs, sum(repeated_epochs) AS repeated
               FROM progress_daily WHERE workload = ? GROUP BY run ORDER BY run"""
    found = [tuple(row.values()) for row in marts.rows(asked, source)]
    assert found == [
        (f"{source} b", Decimal(5), Decimal(source not in ONLY_LAST)),
        (f"{source} p", Decimal(3), Decimal(0)),
        (f"{source} q", Decimal(2), Decimal(0)),
    ]


def test_a_file_that_contradicts_the_emitter_counts_nothing_and_is_named(marts: SomeMarts) -> None:
    """Its epochs are twice the emitter's; those of the emitter count, as above."""
    found = marts.rows(
        "SELECT run, workload, seen_in, detail FROM unmatched_runs "
        "WHERE cause = 'sources_differ' ORDER BY run"
    )
    told_twice = {"b": ("10", "5"), "p": ("6", "3"), "q": ("10", "5")}
    assert [tuple(row.values()) for row in found] == [
        (
            f"{EMITTED} {run}",
            EMITTED,
            "progress",
            f"epoch: file says {theirs}; {ours} from emitter counts",
        )
        for run, (theirs, ours) in told_twice.items()
    ]
