"""Names of nodes are used again: each moment of a job is on the machine that the name then was."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from ingest.allocations.node_machines import SKEW, UNSEEN, NodeMachines, Piece, Stay

START = datetime(2026, 9, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
Job = tuple[str, datetime, datetime]


def drawn(seed: int) -> tuple[list[Stay], list[Job]]:
    """Machines behind three names, with breaks and overlaps, and jobs on these names."""
    dice = random.Random(seed)
    stays: list[Stay] = []
    for name in ("p5-1", "p5-2", "trn-1"):
        time = START
        for _ in range(dice.randrange(8)):
            since = time + MINUTE * dice.choice((-20, 0, 1, 90))
            time = since + MINUTE * dice.randrange(30, 600)
            until = None if dice.random() < 0.1 else time
            stays.append(Stay("atlas", name, since, until, f"i-{len(stays)}"))
    jobs = []
    for _ in range(40):
        since = START + MINUTE * dice.randrange(-60, 3000)
        name = dice.choice(("p5-1", "p5-2", "trn-1", "unknown"))
        jobs.append((name, since, since + MINUTE * dice.randrange(1, 900)))
    return stays, jobs


def pieces(stays: list[Stay], job: Job) -> list[Piece]:
    return list(NodeMachines(stays).pieces("atlas", *job))


@pytest.mark.parametrize("seed", range(20))
def test_the_pieces_of_a_job_are_the_job_each_on_one_machine_of_that_time(seed: int) -> None:
    """But for minutes in which the next machine boots, or the job's is gone before the job is."""
    stays, jobs = drawn(seed)
    known = {stay.resource: stay for stay in stays}
    for name, since, until in jobs:
        found = pieces(stays, (name, since, until))
        edges = [since, *(piece.end for piece in found)]
        for piece, edge in zip(found, edges, strict=False):
            assert edge is not None
            assert piece.start == edge or (piece.stay and piece.start - edge <= UNSEEN)
        assert edges[-1] is not None
        rest = until - edges[-1]
        midnight = until.replace(hour=0, minute=0)
        same_day = edges[-1] > midnight - timedelta(days=until == midnight)
        assert not rest or (found[-1].stay and rest <= UNSEEN and same_day)
        for piece in found:
            if piece.stay:
                stay = known[piece.stay.resource]
                assert stay.node == name
                assert piece.end is not None
                assert stay.since - SKEW <= piece.start < piece.end <= stay.end
            else:
                inside = [one for one in stays if one.node == name and one.since < piece.start]
                assert all(one.end <= piece.start for one in inside[-1:])


@pytest.mark.parametrize("seed", range(5))
def test_the_order_in_which_machines_are_told_changes_nothing(seed: int) -> None:
    stays, jobs = drawn(seed)
    mixed = [*stays]
    random.Random(seed).shuffle(mixed)
    assert [pieces(mixed, job) for job in jobs] == [pieces(stays, job) for job in jobs]


def test_minutes_of_the_next_day_stay_with_the_job_whose_machine_went_before_midnight() -> None:
    """They may be all that tells of it on that day, and a delivered day loses nobody again."""
    midnight = START + timedelta(days=1)
    went = midnight - 3 * MINUTE
    stay = Stay("atlas", "p5-1", START, went, "i-1")
    assert pieces([stay], ("p5-1", START, midnight)) == [Piece(START, went, stay)]
    after = midnight + 5 * MINUTE
    assert pieces([stay], ("p5-1", START, after))[1:] == [Piece(went, after, None)]
