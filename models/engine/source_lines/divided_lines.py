"""Divides each bill line of shared machines among jobs, to show the lines behind a number.

The build sums the parts of a day; who opens a number sees the part of each line of the bill. Both
come from the same steps, so the parts add up to the number exactly. Only machines are divided that
the owners of the number held, or whose tags they are; where it is of nobody, or jobs are known by
pool alone, all are.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from datetime import date, timedelta

from models import formats
from models.engine.allocations import division, held_intervals, tagged_lines
from models.engine.allocations.counted_deliveries import cluster_of, counted_deliveries
from models.engine.allocations.days_to_divide import USED
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files, machine_lines, reduced_lines
from models.engine.reduction.charges_of_resources import deliveries_of
from models.engine.reduction.running_machines import running_machines
from models.engine.source_lines.delivered_lines import ways_of_reading
from models.engine.sql import delivered_sql
from models.engine.warehouse.connection import parsed
from models.engine.warehouse.table_columns import unbound
from models.marts.cost.shared_machines import BY_LINE
from models.raw.delivery import Delivery

RAN = "running_in_bills"
"""Table: machines of bills by number that ran on other days, or with a run's tag."""
PARTS, DIVIDED, LENT = "parts_of_lines", "divided_machines", "lent"
DAY = timedelta(days=1)


def create(context: BuildContext, deliveries: Sequence[Delivery]) -> str:
    """Divides shared machines' lines among jobs; returns SQL that puts the parts in place, or "".

    Those of the chosen days: `chosen` has the rows of `spend_daily` in question.
    """
    con = context.backend.con
    days = [day for (day,) in con.execute("SELECT DISTINCT date FROM chosen ORDER BY 1").fetchall()]
    bills = [
        (bill, way)
        for bill, way in ways_of_reading(context, deliveries)
        if way is not delivered_sql.reduction
    ]
    if not bills or not days:
        return ""
    near = _near(days)
    _read_jobs(context, near)
    ways = {bill.folder: way for bill, way in bills}
    due = [reduced_lines.bill_of(context, bill, reduced_lines.HERE) for bill, _ in bills]
    made = []
    for batch in reduced_lines.batches(due, reduced_lines.LINES_TOGETHER):
        _read_together(context, batch, days)
        for numbers in _divided_together(context):
            con.execute(_ANEW + _OF_NUMBERS, [numbers])
            if len(numbers) == 1:
                bill = batch[numbers[0] - 1].delivery
                _borrow(context, bill, ways[bill.folder], days, near)
            made.append(_divide(context))
    return _INSTEAD if any(made) else ""


def _read_together(
    context: BuildContext, bills: Sequence[reduced_lines.Bill], days: list[date]
) -> None:
    """Creates temporary tables of bills' machine and pod lines, each with its bill's number."""
    con = context.backend.con
    paths = [bill.delivery.paths for bill in bills]
    delivered_files.create_numbered_lines_view(context.backend, delivered_files.LINES, paths)
    numbered = bills[0].delivery.format in formats.PRE_AGGREGATIONS
    number = "* RENAME (delivery AS number)" if numbered else "1 AS number, *"
    text = _TOGETHER + _LINES.format(columns=number, text=bills[0].text)
    con.execute(parsed(text), [days])
    others = machine_lines.names(context.backend, _WITHOUT_HOURS)
    ran = running_machines(context, bills[0].delivery.format, others)
    con.execute(parsed(f"CREATE OR REPLACE TEMP TABLE {RAN} AS {ran}"))


def _divided_together(context: BuildContext) -> Iterator[list[int]]:
    """Yields lists of bill numbers to divide together: few lines, and no date in two of them.

    Planning the steps takes longer than dividing a month of a small company. No date is twice among
    them, as machines are told apart by date, and no correction takes back hours of another bill.
    """
    together: list[int] = []
    held, lines = set[date](), 0
    for number, count, days, alone in context.backend.con.execute(_BILLS).fetchall():
        if alone:
            yield [number]
            continue
        if together and (not held.isdisjoint(days) or lines + count > division.MOST):
            yield together
            together, held, lines = [], set(), 0
        together, held, lines = [*together, number], held | set(days), lines + count
    if together:
        yield together


def _near(days: Sequence[date]) -> set[str]:
    return {f"{day + shift}" for day in days for shift in (-DAY, timedelta(), DAY)}


def _read_jobs(context: BuildContext, near: Container[str]) -> None:
    """Stores which jobs held machines on some days, with run names found by reported progress."""
    progress = [each for each in context.live if delivered_files.view_of(each) == "progress"]
    delivered_files.create_view(context, "progress", progress)
    held_intervals.read_days(context, near)
    named = sorted({cluster_of(one) for one in counted_deliveries(context.live) if one.rows})
    context.backend.con.execute(_CLUSTERS, [named])


def _borrow(
    context: BuildContext,
    bill: Delivery,
    way: delivered_sql.Reading,
    days: list[date],
    near: set[str],
) -> None:
    """Adds the hours that a bill's corrections take back: of other days, and of other bills.

    `near` are the days whose jobs are read; those of corrections of several days are added.
    """
    con = context.backend.con
    if further := [day for (day,) in con.execute(_FURTHER, [days]).fetchall()]:
        held_intervals.read_days(context, _near(further) - near)
        near |= _near(further)
        con.execute(_ADDED + _read(context, bill, way, LENT), [further])
    for lender, its_way in ways_of_reading(context, _lenders(context, bill)):
        con.execute(_ADDED + _read(context, lender, its_way, LENT), [days + further])


def _divide(context: BuildContext) -> bool:
    """Divides the machine lines that were read, and adds the parts to a table; false if none."""
    con = context.backend.con
    for statement in (_PODS, _EVERY_MACHINE, _RUNNING, _NO_MACHINES):
        con.execute(statement)
    tagged_lines.read_days(context, "every_machine_line")
    for statement in (_RELEVANT, _MACHINES):
        con.execute(statement)
    if not (billed := con.execute(_BILLED_DAYS).fetchall()):
        return False
    with division.divided_days(context, billed, BY_LINE):
        con.execute(f"CREATE TABLE IF NOT EXISTS {PARTS} AS {_PARTS} LIMIT 0")
        con.execute(f"INSERT INTO {PARTS} BY NAME {_PARTS}")
    con.execute(f"CREATE TABLE IF NOT EXISTS {DIVIDED} AS {_DIVIDED} LIMIT 0")
    con.execute(f"INSERT INTO {DIVIDED} {_DIVIDED}")
    return True


def _read(context: BuildContext, bill: Delivery, way: delivered_sql.Reading, name: str) -> str:
    """Creates a view of a bill; returns the SQL that reads its machine and pod lines."""
    delivered_files.create_lines_view(context.backend, name, bill.paths)
    lines = unbound(context.backend, name)
    text = delivered_sql.delivered(context, way, lines, bill.format)
    return _LINES.format(columns=f"'{name}' AS delivery, '' AS source, *", text=text)


def _lenders(context: BuildContext, bill: Delivery) -> list[Delivery]:
    """Returns the other bills of the months whose hours a given bill corrects; mostly none."""
    months = [month for (month,) in context.backend.con.execute(_LATE).fetchall()]
    source = bill.key.source
    others = [other for other in context.bills if other != bill and other.key.source == source]
    return deliveries_of(others, months) if months else []


_CLUSTERS = "CREATE OR REPLACE TEMP TABLE held_clusters AS " + held_intervals.clusters(
    "SELECT unnest(?::VARCHAR[]) AS cluster"
)
_ANEW = "CREATE OR REPLACE TEMP TABLE lines_of_machines AS "
_ADDED = "INSERT INTO lines_of_machines BY NAME "
_LATE = f"""
SELECT DISTINCT strftime(day, '%Y-%m') FROM (
  SELECT billing_period, unnest(range(date::TIMESTAMP,
    greatest(date + INTERVAL 1 DAY, CASE WHEN NOT ({USED}) THEN period_to END),
    INTERVAL 1 DAY)) AS day
  FROM lines_of_machines WHERE NOT {machine_lines.IS_POD})
WHERE date_trunc('month', day) IS DISTINCT FROM billing_period"""
"""Months of other bills whose hours are taken back: of each day of a correction."""
_FURTHER = f"""
SELECT DISTINCT day::DATE FROM (
  SELECT unnest(range(date + INTERVAL 1 DAY, period_to, INTERVAL 1 DAY)) AS day
  FROM lines_of_machines
  WHERE NOT {machine_lines.IS_POD} AND NOT ({USED}) AND period_to > date + INTERVAL 1 DAY)
WHERE day NOT IN (FROM unnest(?::DATE[])) ORDER BY 1"""
"""Other days whose hours are taken back by corrections of several days."""
_LINES = f"""
SELECT {{columns}} FROM ({{text}}) WHERE machine IS NOT NULL AND (
  ({machine_lines.IS_POD}
    AND date_trunc('month', date) IN (SELECT date_trunc('month', unnest($1::DATE[]))))
  OR (NOT {machine_lines.IS_POD} AND date IN (FROM unnest($1::DATE[]))))"""
"""One statement reads several bills, because to plan the reading takes longer than to read."""
_TOGETHER = "CREATE OR REPLACE TEMP TABLE lines_of_bills AS "
_OF_NUMBERS = """
SELECT 'bill ' || number AS delivery, '' AS source, * EXCLUDE (number) FROM lines_of_bills
WHERE number IN (FROM unnest($1::INTEGER[]))"""
_WITHOUT_HOURS = f"""
SELECT machine FROM lines_of_bills WHERE machine <> '' AND NOT {machine_lines.IS_POD} AND (
  machine IN (SELECT resource FROM {held_intervals.MEMBERS})
  OR machine_cluster IN (SELECT cluster FROM held_clusters))
GROUP BY number, machine HAVING count(period_from) = 0"""
_BILLS = f"""
SELECT number, count(*), list(DISTINCT date),
  bool_or(date_trunc('month', date) IS DISTINCT FROM billing_period
    OR (NOT ({USED}) AND period_to > date + INTERVAL 1 DAY AND NOT {machine_lines.IS_POD}))
FROM lines_of_bills GROUP BY number ORDER BY number"""
"""Of each bill, whether it corrects hours of others or of several days, is the last column."""
_PODS = f"""
CREATE OR REPLACE TABLE {machine_lines.PODS} AS FROM lines_of_machines
WHERE {machine_lines.IS_POD}"""
_MINE = "((h.workload = c.workload OR h.workload IS NULL) AND (c.run IS NULL OR h.run = c.run))"
_RELEVANT = f"""
CREATE OR REPLACE TEMP TABLE relevant_machines AS
WITH held AS (
  SELECT workload, run, resource FROM {held_intervals.STORE} WHERE reason = 'run'
  UNION ALL SELECT workload, run, machine FROM {machine_lines.PODS}
  UNION ALL SELECT workload, run, machine FROM every_machine_line WHERE workload IS NOT NULL
  UNION ALL SELECT workload, run, machine FROM {tagged_lines.STORE}
  UNION ALL SELECT workload, run, resource FROM {held_intervals.MEMBERS}
    WHERE workload IS NOT NULL OR run IS NOT NULL)
SELECT DISTINCT resource FROM held AS h JOIN chosen AS c ON {_MINE}
UNION ALL SELECT NULL FROM chosen WHERE workload IS NULL"""
"""Null stands for all machines: those of a pool, and where the owner of a number is unknown."""
_THESE_DAYS = f"FROM lines_of_machines WHERE NOT {machine_lines.IS_POD}"
_EVERY_MACHINE = f"""
CREATE OR REPLACE TEMP TABLE {machine_lines.SCANNED} AS {machine_lines.by_period(_THESE_DAYS)}"""
_RUNNING = f"""
CREATE OR REPLACE TEMP TABLE every_machine_line AS FROM {machine_lines.SCANNED}
WHERE (delivery, machine) IN ({machine_lines.RUNNING})
  OR (delivery, machine) IN (SELECT ('bill ' || number, machine) FROM {RAN})"""
"""Machines that ran in the bill, on these days or others: their volumes cost all the same."""
_NO_MACHINES = f"CREATE OR REPLACE TABLE {machine_lines.STORE} AS FROM every_machine_line LIMIT 0"
_MACHINES = f"""
CREATE OR REPLACE TABLE {machine_lines.STORE} AS FROM every_machine_line
WHERE machine IN (SELECT resource FROM relevant_machines WHERE resource IS NOT NULL)
  OR EXISTS (FROM relevant_machines WHERE resource IS NULL)"""
_OF_BILL = f"FROM {machine_lines.STORE} WHERE delivery <> '{LENT}'"
_BILLED_DAYS = f"SELECT DISTINCT delivery, date {_OF_BILL} ORDER BY ALL"
_MACHINE_DAY = "machine, date, billing_period, coalesce(billing_account, '')"
_DIVIDED = f"SELECT DISTINCT machine, date, billing_period, billing_account {_OF_BILL}"
"""Lines are told apart by their bill: in a month without hours a machine is not divided."""
_INSTEAD = f""" WHERE machine IS NULL OR {machine_lines.IS_POD}
  OR ({_MACHINE_DAY}) NOT IN (SELECT ({_MACHINE_DAY}) FROM {DIVIDED})
UNION ALL BY NAME FROM {PARTS}"""
_PARTS = """
SELECT p.* EXCLUDE (line), coalesce(d.period_from, p.date::TIMESTAMP) AS began, p.sku AS usage,
  p.described AS description, d.machine AS resource
FROM line_parts AS p JOIN due_lines AS d USING (line)"""
