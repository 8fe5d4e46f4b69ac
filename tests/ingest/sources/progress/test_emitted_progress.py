"""A training loop's own lines, through CloudWatch, to what an epoch cost."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.ingest import emf
from tests.support.ingest.fake_aws import ENVIRONMENT, Fake
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World

LOOPS = {
    "by_hand": (),
    "torch": ("torch",),
    "transformers": ("torch", "transformers", "accelerate"),
    "lightning": ("torch", "lightning"),
}
ROOT = Path(__file__).parents[4]


def installed(loop: str) -> bool:
    return all(find_spec(name) for name in LOOPS[loop])


def emitted(loop: str) -> str:
    """What the loop, a process of its own, wrote to standard output."""
    command = [sys.executable, "-m", "tests.support.ingest.training_loops", loop]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lines() -> dict[str, str]:
    return {loop: emitted(loop) for loop in LOOPS if installed(loop)}


@pytest.fixture(scope="module")
def marts(
    lines: dict[str, str], aws_server: Fake, tmp_path_factory: pytest.TempPathFactory
) -> SomeMarts:
    """One company whose runs cost $1,000.00 each: 62.5 hours at $16.00."""
    told = [metric for text in lines.values() for metric in emf.metrics(text)]
    aws_server.shows(metrics=told, now="2026-10-26T00:00:00Z")
    world = World(tmp_path_factory.mktemp("training"))
    for loop in lines:
        tags = {"workload": "atlas-7b", "run": loop}
        world.hours("2026-10-20T00:00:00", "62.5", "trn1.32xlarge", "16.00", tags)
    world.charge("2026-10-26T00:00:00", "1.00")
    sources = [
        {"kind": "focus", "location": "bill.csv"},
        {"kind": "cloudwatch", "region": "us-west-2"},
    ]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": aws_server.url}.items():
            patch.setenv(name, value)
        settings = world.pulled(sources=sources, as_of="2026-10-26")
    return some_marts(settings, "runs")


@pytest.mark.parametrize("loop", LOOPS)
def test_what_a_loop_reports_is_what_its_epochs_cost(
    loop: str, lines: dict[str, str], request: pytest.FixtureRequest
) -> None:
    if loop not in lines:
        pytest.skip(f"needs a library that is not installed: pip install {' '.join(LOOPS[loop])}")
    first, *_, last = emf.values(lines[loop])
    assert first["Epoch"] == 0
    assert last["Epoch"] == 4
    assert last["Loss"] >= 0
    found = request.getfixturevalue("marts").row("SELECT * FROM runs WHERE run = ?", loop)
    assert (found["cost"], found["epochs"]) == (Decimal(1000), Decimal(4))
    assert found["cost_per_epoch"] == Decimal(250)
