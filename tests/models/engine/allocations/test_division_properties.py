"""Random jobs on random machines: the parts are the line, and a second truth in SQL agrees."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from models.engine.warehouse import connection
from tests.support.divided_machines import Machines, Row, at, held, line

START = at("01 00:00")
SEEDS = (1, 2)
MACHINES, DAYS = 40, 3
MINUTE = timedelta(minutes=1)
AMOUNTS = ("quantity", "list_cost", "contracted_cost", "effective_cost", "billed_cost")
TRUTH = """
WITH held AS (
  SELECT *, coalesce(accelerators / 16.0, share) AS fraction FROM held_intervals
  WHERE reason != 'run' OR accelerators IS DISTINCT FROM 0),
periods AS (
  SELECT machine, period_from, period_to, sum(quantity)::DOUBLE * 60 AS capacity
  FROM machine_lines WHERE category = 'Usage' AND sku NOT LIKE 'EBS%'
  GROUP BY ALL HAVING sum(quantity) > 0),
minutes AS (
  SELECT *, unnest(generate_series(period_from, period_to - INTERVAL 1 MINUTE, INTERVAL 1 MINUTE))
    AS minute FROM periods),
active AS (
  SELECT m.*, h.run, h.workload, h.reason, h.fraction, h.cpus / h.of_cpus::DOUBLE AS processors
  FROM minutes AS m JOIN held AS h
    ON h.resource = m.machine AND h.began <= m.minute AND h.ended > m.minute),
jobs AS (
  SELECT *, bool_or(coalesce(fraction, 0) > 0) OVER w AS counted,
    count(*) FILTER (fraction IS NULL) OVER w AS uncounted
  FROM active WHERE reason = 'run' WINDOW w AS (PARTITION BY machine, minute)),
ran AS (
  SELECT machine, period_from, capacity, workload, run, sum(CASE WHEN fraction IS NOT NULL
      THEN fraction WHEN counted THEN 0 WHEN uncounted = 1 THEN 1
      ELSE coalesce(processors, 1 / uncounted) END) AS weight
  FROM jobs GROUP BY ALL),
sums AS (SELECT machine, period_from, sum(weight) AS held FROM ran GROUP BY ALL),
free AS (
  SELECT m.*, greatest(capacity - coalesce(held, 0), 0) AS free
  FROM minutes AS m LEFT JOIN sums USING (machine, period_from)
  WHERE NOT EXISTS (FROM active AS a WHERE a.machine = m.machine AND a.minute = m.minute)),
ends AS (
  SELECT f.machine, f.period_from, f.minute, f.free,
    max(h.ended) FILTER (h.ended <= f.minute) AS last_end, min(h.began) AS first_start
  FROM free AS f JOIN held AS h ON h.resource = f.machine AND h.reason = 'run' GROUP BY ALL),
owners AS (
  SELECT e.*, h.workload, h.run, h.accelerators::DOUBLE AS accelerators
  FROM ends AS e JOIN held AS h ON h.resource = e.machine AND h.reason = 'run'
   AND ((h.ended = e.last_end AND h.ends AND e.minute < e.last_end + INTERVAL 15 MINUTE)
     OR (h.began = e.first_start AND h.starts AND e.minute < e.first_start
         AND e.minute >= e.first_start - INTERVAL 15 MINUTE))),
shared AS (
  SELECT *, coalesce(accelerators / nullif(sum(accelerators) OVER w, 0), 1 / count(*) OVER w)
      AS part,
    dense_rank() OVER (PARTITION BY machine, period_from ORDER BY minute) - 1 AS before
  FROM owners WINDOW w AS (PARTITION BY machine, minute)),
gaps AS (
  SELECT machine, period_from, workload, run,
    sum(part * greatest(0, least(1, free - before))) AS weight
  FROM shared GROUP BY ALL)
SELECT machine, period_from, workload, run, sum(weight) AS minutes, any_value(capacity) AS capacity
FROM (
  SELECT r.machine, r.period_from, workload, run, capacity,
    weight * least(1, capacity / held) AS weight
  FROM ran AS r JOIN sums USING (machine, period_from)
  UNION ALL BY NAME SELECT g.*, capacity FROM gaps AS g JOIN periods USING (machine, period_from))
GROUP BY ALL HAVING sum(weight) > 0"""
"""Minute by minute: who held what, who gets the idle minutes, until the hour is used up."""


def drawn(seed: int) -> tuple[list[Row], list[Row]]:
    """Lines and intervals of machines, each with its own habits; times are whole minutes."""
    dice = random.Random(seed)
    lines: list[Row] = []
    jobs: list[Row] = []
    for number in range(MACHINES):
        name = f"i-{seed}-{number:03}"
        lines += _lines(dice, name, by_day=number % 10 == 9)
        if dice.random() < 0.3:  # takes back something of all days
            back = -Decimal(dice.randrange(1, 10**7)) / 10**5
            whole = {"category": "Adjustment", "until": START + timedelta(days=DAYS)}
            lines.append(line(START, 0, back, machine=name, **whole))
        jobs += _jobs(dice, name)
    return lines, jobs


def _lines(dice: random.Random, name: str, *, by_day: bool) -> Iterator[Row]:
    step = timedelta(days=1) if by_day else timedelta(hours=1)
    first = START + step * dice.randrange(3)
    last = START + timedelta(days=dice.choice((1, 2, DAYS)))
    time = first
    while time < last:
        minutes = step // MINUTE if dice.random() < 0.8 else dice.randrange(1, step // MINUTE)
        hours = Decimal(minutes) / 60
        cost = Decimal(dice.randrange(1, 10**9)) / 10**7
        kind = dice.random()
        about = {"machine": name, "until": time + step}
        if kind < 0.2:  # a plan covers half
            yield line(time, round(hours / 2, 9), cost, **about)
            plan = {"commitment": "sp", "commitment_status": "Used"}
            yield line(time, round(hours - hours / 2, 9), cost / 3, **about, **plan)
        elif kind < 0.3:  # a Capacity Block: hours at $0
            yield line(time, round(hours, 9), 0, free=True, **about)
        else:
            sku = "SpotUsage:trn1.32xlarge" if kind < 0.5 else "BoxUsage:trn1.32xlarge"
            yield line(time, round(hours, 9), cost, sku=sku, **about)
        if dice.random() < 0.1:
            yield line(time, 0, -cost / 7, category="Adjustment", **about)
        if dice.random() < 0.1:  # a volume of the machine follows its owners of the day
            volume = {"sku": "EBS:VolumeUsage.gp3", "unit": "GB-Mo", "machine": name}
            yield line(time, "0.7", cost / 9, period_from=None, period_to=None, **volume)
        if dice.random() < 0.1:  # stopped for a while
            time += step
        time += step


def _jobs(dice: random.Random, name: str) -> Iterator[Row]:
    counts = dice.choice(("accelerators", "none", "cpus", "share"))
    time = START + MINUTE * dice.randrange(0, 600)
    for number in range(dice.randrange(0, 14)):
        length = MINUTE * dice.choice((3, 20, 55, 60, 61, 300, 1500))
        owner = {"run": f"r{dice.randrange(3)}", "workload": dice.choice(("a", "b"))}
        if dice.random() < 0.15:
            owner = {"run": None, "workload": None}
        counted: Row = {}
        if counts == "accelerators":
            counted = {"accelerators": Decimal(dice.choice((0, 1, 4, 8, 16)))}
        elif counts == "cpus":
            counted = {"cpus": Decimal(dice.choice((8, 32))), "of_cpus": Decimal(128)}
        elif counts == "share":
            counted = {"share": Decimal(dice.choice(("0.25", "0.5", "1")))}
        reason = "drained" if dice.random() < 0.1 else "run"
        about = {"resource": name, "job": f"{name}-{number}", "reason": reason}
        yield from held(time, time + length, **about, **owner, **counted)
        time += MINUTE * dice.choice((-30, 0, 5, 14, 15, 16, 200)) + (
            length if dice.random() < 0.7 else timedelta(0)
        )


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Machines, list[Row], list[Row]]]:
    """The machines of all seeds: none has to do with another."""
    draws = [drawn(seed) for seed in SEEDS]
    lines, jobs = ([row for draw in draws for row in draw[part]] for part in (0, 1))
    with connection.in_memory() as backend:
        machines = Machines(backend, tmp_path_factory.mktemp("drawn"))
        machines.divide([row | {"region": row["machine"]} for row in lines], jobs)
        yield machines, lines, jobs


def test_the_parts_of_every_machine_and_day_are_its_lines(
    world: tuple[Machines, list[Row], list[Row]],
) -> None:
    machines, lines, _ = world
    whole: defaultdict[tuple[object, ...], list[Decimal]] = defaultdict(lambda: [Decimal(0)] * 5)
    for row in lines:
        key = (row["machine"], row["date"], row["sku"], row["category"], row.get("commitment"))
        given = [Decimal(row[name]).quantize(Decimal("1e-9")) for name in AMOUNTS]
        whole[key] = [sum(pair, Decimal(0)) for pair in zip(whole[key], given, strict=True)]
    sums = ", ".join(f"sum({name})" for name in AMOUNTS)
    parts = machines.con.execute(
        f"SELECT region, date, sku, category, commitment, {sums} FROM divided_lines GROUP BY ALL"
    ).fetchall()
    assert {row[:5]: [*row[5:]] for row in parts} == dict(whole)


def test_a_second_truth_gives_every_owner_the_same_hours(
    world: tuple[Machines, list[Row], list[Row]],
) -> None:
    machines, _, _ = world
    truth = machines.con.execute(
        "SELECT machine, period_from::DATE AS date, workload, run, sum(minutes) / 60 "
        f"FROM ({TRUTH}) GROUP BY ALL"
    ).fetchall()
    ours = machines.con.execute(
        "SELECT region, date, workload, run, sum(quantity)::DOUBLE FROM divided_lines "
        "WHERE holding IN ('held', 'unknown') AND category = 'Usage' AND sku NOT LIKE 'EBS%' "
        "GROUP BY ALL"
    ).fetchall()
    expected = {row[:4]: row[4] for row in truth if row[4] > 1e-6}
    found = {row[:4]: row[4] for row in ours if row[4] > 1e-6}
    assert found.keys() == expected.keys()
    # a second is what rounding of the bill's hours may leave to nobody
    assert {key: value for key, value in found.items() if abs(value - expected[key]) > 1e-3} == {}


def test_the_order_in_which_rows_arrive_changes_nothing(
    world: tuple[Machines, list[Row], list[Row]],
) -> None:
    machines, lines, jobs = world
    before = machines.rows("SELECT * EXCLUDE (delivery) FROM divided_lines")
    shuffled = [*jobs]
    random.Random(7).shuffle(shuffled)
    turned = [row | {"region": row["machine"]} for row in reversed(lines)]
    assert machines.divide(turned, shuffled) == 0
    machines.con.execute("DELETE FROM divided_lines")
    machines.divide(turned, shuffled)
    assert machines.rows("SELECT * EXCLUDE (delivery) FROM divided_lines") == before


def test_days_that_arrive_one_after_another_give_what_all_at_once_give(
    world: tuple[Machines, list[Row], list[Row]],
) -> None:
    machines, lines, jobs = world
    before = machines.rows("SELECT * EXCLUDE (delivery) FROM divided_lines")
    days = sorted({row["date"] for row in jobs}, reverse=True)
    billed = [row | {"region": row["machine"]} for row in lines]
    for number in range(len(days) + 1):
        machines.divide(billed, [row for row in jobs if row["date"] in days[:number]])
    assert machines.rows("SELECT * EXCLUDE (delivery) FROM divided_lines") == before


def test_a_clock_that_is_wrong_moves_dollars_and_loses_none(
    world: tuple[Machines, list[Row], list[Row]],
) -> None:
    machines, lines, jobs = world
    billed = [row | {"region": row["machine"]} for row in lines]
    skewed = [row for row in jobs if row["ended"] - row["began"] > 2 * MINUTE]
    for row in skewed:
        row |= {"began": row["began"] + timedelta(seconds=37)}
    machines.divide(billed, skewed)
    (sums,) = machines.rows("SELECT sum(effective_cost) AS cost FROM divided_lines")
    cents = Decimal("1e-9")
    assert sums["cost"] == sum(Decimal(r["effective_cost"]).quantize(cents) for r in lines)


def test_equal_hours_in_one_line_are_divided_as_they_are_one_by_one(
    world: tuple[Machines, list[Row], list[Row]],
) -> None:
    machines, lines, jobs = world
    price = {row["machine"]: dict.fromkeys(AMOUNTS, row["effective_cost"]) for row in lines}
    about = ("region", "first_hour", "last_hour")
    by_hour = [
        row
        | price[row["machine"]]
        | {"quantity": row["quantity"] if row["category"] == "Usage" else Decimal(0)}
        | dict(zip(about, (row["machine"], row["period_from"], row["period_to"]), strict=True))
        for row in lines
    ]
    machines.divide(by_hour, jobs)
    before = machines.rows("SELECT * EXCLUDE (delivery) FROM divided_lines")
    together = [*alike(by_hour)]
    assert len(together) < len(by_hour) / 2
    machines.divide(together, jobs)
    assert machines.rows("SELECT * EXCLUDE (delivery) FROM divided_lines") == before


def alike(lines: list[Row]) -> Iterator[Row]:
    """One line for lines of a day that differ in nothing but their period; others unchanged."""
    groups: defaultdict[tuple[object, ...], list[Row]] = defaultdict(list)
    of_period = ("period_from", "period_to", "first_hour", "last_hour")
    yield from (row for row in lines if not row["period_from"])
    for row in (row for row in lines if row["period_from"]):
        length = row["period_to"] - row["period_from"]
        rest = tuple(sorted((k, str(v)) for k, v in row.items() if k not in of_period))
        groups[length, rest].append(row)
    for rows in groups.values():
        last = {"last_hour": rows[-1]["last_hour"]}
        yield rows[0] | last | {"periods": [row["period_from"] for row in rows]}


def test_times_are_whole_minutes(world: tuple[Machines, list[Row], list[Row]]) -> None:
    """What the second truth rests on."""
    _, lines, _ = world
    times: list[datetime] = [row["period_from"] for row in lines if row["period_from"]]
    assert all(time.second == 0 for time in times)
