"""Killed at random points of ingest, build and publish, a run leaves nothing that tells.

`benchmarks/crashes.py` draws fifty of them; here are five, with another seed.
"""

from __future__ import annotations

import signal
from multiprocessing.context import ForkServerContext
from typing import Any

import pytest

from tests.support.ingest.fake_aws import ENVIRONMENT, Fake
from tests.support.ingest.kill_trials import TODAY, Trial, kills

pytestmark = [pytest.mark.slow, pytest.mark.kill]
POINTS = 5
OPERATION = "GetCostAndUsage"
SEED = 4


@pytest.fixture(scope="module")
def trial(
    tmp_path_factory: pytest.TempPathFactory, processes: ForkServerContext, aws_server: Fake
) -> Trial:
    environ = {**ENVIRONMENT, "AWS_ENDPOINT_URL": aws_server.url}
    made = Trial(tmp_path_factory.mktemp("kills"), processes, aws_server, environ)
    with pytest.MonkeyPatch.context() as here:
        for name, value in environ.items():
            here.setenv(name, value)
        made.prepare()
    return made


def test_a_run_has_steps_to_be_killed_at_and_asks_for_every_month(trial: Trial) -> None:
    assert trial.steps > 100
    assert trial.seconds > 0.2
    assert trial.asked >= 1
    assert trial.before != trial.after


@pytest.mark.parametrize("point", range(POINTS))
def test_a_run_killed_at_any_point_is_as_one_that_never_failed(
    trial: Trial, point: int, aws: Fake
) -> None:
    aws.shows(bill=trial.bill, cost_now=TODAY)
    kill = kills(SEED, POINTS, trial.steps, trial.seconds * 0.9)[point]
    exitcode = trial.killed(kill)
    expected = (-signal.SIGKILL,) if kill.step else (-signal.SIGPROF, 0)
    assert exitcode in expected


def test_a_disk_that_runs_full_on_the_way_costs_nothing_but_the_time(
    trial: Trial, aws: Fake
) -> None:
    aws.shows(bill=trial.bill, cost_now=TODAY)
    refused = trial.on_a_full_disk(0.5)
    if refused is None:
        pytest.skip("this system lets nobody make a disk of their own")
    assert refused.startswith("StorageError ")
    assert "\n" not in refused
    assert "free some space" in refused


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        ({"errors": [{"operation": OPERATION, "code": "RequestExpired"}]}, "machine's clock"),
        ({"faults": [{"operation": OPERATION, "fault": "reset"}]}, "check the network"),
    ],
)
def test_what_aws_refuses_is_told_and_made_up_for(
    trial: Trial, refusal: dict[str, list[dict[str, Any]]], said: str, aws: Fake
) -> None:
    """From the second page on; what the other feeds brought meanwhile is published."""
    planned = {
        kind: [one | {"on": list(range(2, 99))} for one in refusal[kind]] for kind in refusal
    }
    (error,) = trial.refused(planned)
    assert said in error
