"""A server that answers as Prometheus does, but not with time series: one line says so."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from urllib3 import HTTPResponse

from ingest.allocations.kubernetes.prometheus import RETRIES, Prometheus
from ingest.servers.json_server import LONGEST_PAUSE
from models.contract.errors import SourceError
from tests.support.ingest.json_answers import Answers
from tests.support.ingest.json_answers import answers as answers

START = datetime(2026, 10, 30, tzinfo=UTC)
MILLISECONDS = 1_793_318_400_000


def answered(answers: Answers, data: object, **more: object) -> list[Any]:
    body = json.dumps({"status": "success", "data": data, **more})
    answers.given = [(200, {}, body.encode())]
    end = START + timedelta(hours=1)
    return Prometheus(answers.url).range("up", START, end, 60)


def test_samples_have_their_times_in_seconds(answers: Answers) -> None:
    values = [[START.timestamp(), "1"], [START.timestamp() + 60, "NaN"]]
    (series,) = answered(answers, {"result": [{"metric": {"pod": "u1"}, "values": values}]})
    assert (series.labels, series.first) == ({"pod": "u1"}, START)
    assert series.last == START + timedelta(minutes=1)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"result": [{"metric": {}}]},
        {"result": [{"metric": {}, "values": [[MILLISECONDS, "1"]]}]},
        {"result": [{"metric": {}, "values": [[START.timestamp(), "many"]]}]},
        {"result": [{"metric": "up", "values": []}]},
        {"result": [{"metric": {}, "values": []}]},
    ],
)
def test_what_is_no_series_is_one_line(answers: Answers, data: object) -> None:
    said = "refused query_range: its answer has no time series as Prometheus gives them"
    with pytest.raises(SourceError, match=said) as raised:
        answered(answers, data)
    assert "\n" not in f"{raised.value}"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"warnings": ["no store of eu-west-1 answers"]}, "no store of eu-west-1 answers"),
        ({"isPartial": True}, "isPartial"),
    ],
)
def test_an_answer_that_lacks_a_part_is_refused_for_its_pods_would_count_as_idle(
    answers: Answers, more: dict[str, object], said: str
) -> None:
    with pytest.raises(SourceError, match=f"query_range: its answer lacks a part: .*{said}"):
        answered(answers, {"result": []}, **more)


def test_a_whole_answer_is_asked_for_and_hints_refuse_nothing(answers: Answers) -> None:
    assert answered(answers, {"result": []}, infos=["up is no counter"], warnings=[]) == []
    (asked,) = answers.bodies
    assert {"partial_response=false", "deny_partial_response=1"} <= {*asked.decode().split("&")}


def test_a_server_that_asks_to_wait_a_day_holds_up_no_pull_for_so_long() -> None:
    asked = HTTPResponse(headers={"Retry-After": "86400"})
    assert RETRIES.get_retry_after(asked) == LONGEST_PAUSE
