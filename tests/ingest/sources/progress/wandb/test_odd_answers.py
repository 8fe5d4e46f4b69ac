"""W&B: answers of another form than W&B's are refused, or cost only the run that they are about."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from ingest.sources.progress.wandb import history
from models.contract.errors import SourceError
from tests.ingest.sources.progress.wandb.conftest import Reading
from tests.ingest.sources.progress.wandb.pulls import brought, epochs, samples
from tests.support.wandb.server import LoggedRun, WandBServer


def node(run: LoggedRun) -> dict[str, Any]:
    """A run as the server lists it."""
    names = ("name", "displayName", "state", "createdAt", "config", "tags", "historyKeys")
    return {name: getattr(run, name) for name in names}


def listed(*nodes: dict[str, Any]) -> str:
    """The answer that lists these runs."""
    return json.dumps({"data": {"project": {"runs": {"edges": [{"node": one} for one in nodes]}}}})


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"createdAt": None}, "createdAt: Input should be a valid datetime"),
        ({"createdAt": "0001-01-01T00:00:00+05:00"}, "createdAt: Value error, not the year"),
        ({"tags": ["workload=w", None]}, "tags.1: Input should be a valid string"),
        ({"historyKeys": {"keys": {"epoch": {"typeCounts": ["n"]}}}}, "typeCounts.0"),
        ({"historyKeys": {"keys": {"epoch": []}}}, "historyKeys.keys.epoch"),
        ({"displayName": 7}, "displayName: Input should be a valid string"),
    ],
)
def test_a_run_of_another_form_is_left_out_and_told_of(
    wandb: WandBServer, reading: Reading, told: dict[str, object], why: str
) -> None:
    runs = [wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w") for _ in range(2)]
    runs[0].log("2025-10-20T01:00:00", epoch=1)
    wandb.fail_after(0, (200, {}, listed(node(runs[0]), node(runs[1]) | told)))
    config = reading("pretrain")
    (notice,) = brought(config).results[0].notices
    assert notice.startswith("left out: 1 run of pretrain that cannot be read, such as id1 (")
    assert why in notice
    assert epochs(config) == {"r": [1]}


@pytest.mark.parametrize(
    "told",
    [
        {"historyKeys": {"keys": {"epoch": {"typeCounts": None}}, "lastStep": math.nan}},
        {"historyKeys": {"keys": {"epoch": {}}, "lastStep": 1e300}},
        {"historyKeys": '{"keys": {"epoch": {}}, "lastStep": -5}'},
        {"config": '{"workload": "w", "deep": ' + "[" * 100_000},
        {"displayName": "r\ud800"},
        {"config": r'{"workload": "w", "note": "\ud800"}', "tags": None},
    ],
)
def test_odd_words_of_a_run_cost_it_nothing_else(
    wandb: WandBServer, reading: Reading, told: dict[str, object]
) -> None:
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", "workload=w")
    run.log("2025-10-20T01:00:00", epoch=1)
    wandb.fail_after(0, (200, {}, listed(node(run) | told)))
    config = reading("pretrain")
    assert brought(config).results[0].notices == []
    assert [int(row["epoch"]) for row in samples(config)] == [1]


@pytest.mark.parametrize(
    "data",
    [
        '{"project": {"runs": {"edges": [null]}}}',
        '{"project": {"runs": {"edges": [{"node": null}]}}}',
        '{"project": {"runs": []}}',
    ],
)
def test_a_list_of_another_form_is_refused(wandb: WandBServer, reading: Reading, data: str) -> None:
    wandb.fail_after(0, (200, {}, f'{{"data": {data}}}'))
    with pytest.raises(SourceError, match="refused runs: answered"):
        brought(reading("pretrain"))


def test_a_list_that_comes_to_a_page_again_is_refused(wandb: WandBServer, reading: Reading) -> None:
    again = {"edges": [{"node": {}, "cursor": "a"}], "pageInfo": {"hasNextPage": True}}
    answer = (200, {}, json.dumps({"data": {"project": {"runs": again}}}))
    wandb.refuse = [answer, answer]
    with pytest.raises(SourceError, match="refused runs: a list of which page 2 is not the last"):
        brought(reading("pretrain"))


def test_a_history_that_does_not_end_is_refused(
    wandb: WandBServer, reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST_REQUESTS", 5)
    monkeypatch.setattr(history, "SAMPLES", 4)
    run = wandb.run("pretrain", "r", "2025-10-20T00:00:00", workload="w")
    for step in range(1000):
        run.log_at(step, None, {"epoch": step})
    with pytest.raises(SourceError, match="a history of r that takes over 5 requests"):
        brought(reading("pretrain"))
