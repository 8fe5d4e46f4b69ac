"""Refunds that name a resource and bear no run's tag: whose charge they take back (METHOD §2.2).

The reduction keeps their resource and their time (`corrects`), and no other line's. Whose the
resource was then is on its charges as they were delivered, perhaps of another month: those of the
refund's own SKU where there are any. Where they are all one run's the refund takes it, on a day of
theirs; where they are a workload's several runs', it is shared as what names only its workload is
(METHOD §2.6); where nobody's or several workloads', or another's than its own, it stays as it is:
nothing is guessed. Asked are the deliveries of the months that it is for, and what was answered
stands under a mark of them, so it follows the restatement of either side. A bill without such
refunds asks nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256

from ibis.backends.duckdb import Backend

from models import engines, formats, lines
from models.compiled import Compiled, code
from models.delivery import Delivery
from models.settings import Settings

STORE, COUNTED, LINES = "reduced_refunds", "counted_lines", "refunds_lines"
"""The refunds with what was found; the store of reduced lines with these; what is looked at."""
LINE = ("account", "corrects", "sku", "used_from", "used_to")
"""What is asked of the bill: whose was this resource in this time."""
MOST = 10_000
"""Resources that are named to a file's reader; beyond, it reads every line."""


def keep(backend: Backend, money: Sequence[Delivery], settings: Settings, known: Compiled) -> None:
    """Brings `spend_reduced` and `COUNTED` up to date with the reduction of each delivery."""
    kept = lines.kept_marks(backend, STORE, engines.reduced_columns(settings, known))
    mine = f"FROM {lines.STORE} WHERE corrects IS NOT NULL"
    asked = _asked(backend, mine, "delivery", "month")
    wanted = {_mark(refunds, months, money): refunds for refunds, months in asked.items()}
    for gone in kept - set(wanted):
        backend.con.execute(f"DELETE FROM {STORE} WHERE delivery = ?", [gone])
    if due := {wanted[mark]: mark for mark in sorted(set(wanted) - kept)}:
        _add(backend, due, money, settings, known)
    text = _instead(lines.STORE, STORE) if wanted else f"FROM {lines.STORE}"
    backend.con.execute(f"CREATE OR REPLACE VIEW {COUNTED} AS {text}")
    rows = f"SELECT * EXCLUDE (delivery, source) FROM {COUNTED}"
    backend.con.execute(f"CREATE OR REPLACE VIEW spend_reduced AS {rows}")


def counted(
    backend: Backend, rows: str, money: Sequence[Delivery], settings: Settings, known: Compiled
) -> str:
    """The query for `rows`, single lines in the reduction's columns, with what is found."""
    mine = f"FROM {rows} WHERE class = 'Correction' AND corrects IS NOT NULL"
    if not backend.con.execute(f"{mine} LIMIT 1").fetchall():
        return f"FROM {rows}"
    owned = _owned(backend, mine, money, settings, known)
    return _instead(rows, f"({owned})")


def _add(
    backend: Backend,
    due: Mapping[str, str],
    money: Sequence[Delivery],
    settings: Settings,
    known: Compiled,
) -> None:
    """Lays down the refunds of deliveries, under the marks that they have in `due`."""
    mine = f"FROM {lines.STORE} WHERE corrects IS NOT NULL AND delivery IN {tuple(due)}"
    owned = _owned(backend, mine, money, settings, known)
    rows = f"SELECT * REPLACE (MAP {dict(due)}[delivery] AS delivery) FROM ({owned})"
    backend.con.execute(f"INSERT INTO {STORE} BY NAME {rows}")


def _instead(rows: str, owned: str) -> str:
    return f"FROM {rows} WHERE corrects IS NULL UNION ALL BY NAME FROM {owned}"


def _mark(refunds: str, months: Collection[str], money: Sequence[Delivery]) -> str:
    """Another one where a line, how it is read, or what our code makes of it is another."""
    held = sorted(delivery.fingerprint for delivery in _held(money, months))
    return f"refunds:{sha256(f'{refunds}{held}{code()}'.encode()).hexdigest()}"


def _held(money: Sequence[Delivery], months: Collection[str]) -> list[Delivery]:
    return [delivery for delivery in money if delivery.may_hold(months)]


def _asked(backend: Backend, mine: str, key: str, what: str) -> dict[str, list[str]]:
    """By `key` what it asks for: of refunds' deliveries the months, of months the resources."""
    return dict(backend.con.execute(_ASKED.format(mine=mine, key=key, what=what)).fetchall())


def _owned(
    backend: Backend, mine: str, money: Sequence[Delivery], settings: Settings, known: Compiled
) -> str:
    """The query for the refunds that `mine` is one for, each with the owner that is found."""
    asked = _asked(backend, mine, "month", "corrects")
    charges = _charges(backend, _held(money, asked), asked, settings, known)
    tags = [f'"tag_{key}"' for key in settings.tags.extra]
    told = ", ".join(f"coalesce(r.{tag}, o.{tag}) AS {tag}" for tag in ("workload", *tags))
    same = " AND ".join(f"r.{name} IS NOT DISTINCT FROM o.{name}" for name in LINE)
    return f"""
        WITH mine AS ({mine}), charged AS ({charges}),
        owners AS ({_OWNERS.format(tags=", ".join(map(_one, ("workload", "run", *tags))))})
        SELECT r.* REPLACE (coalesce(o.day, r.date) AS date, {told}, o.run AS run,
          CASE WHEN o.run IS NULL THEN r.host END AS host,
          NULL AS corrects, NULL AS used_from, NULL AS used_to)
        FROM mine AS r LEFT JOIN owners AS o
          ON {same} AND coalesce(o.workload, o.run) IS NOT NULL
          AND coalesce(r.workload = o.workload, r.workload IS NULL)"""


def _one(tag: str) -> str:
    """What all say; null where one says another, or nothing."""
    said = f"coalesce({tag}, '')"
    return f"if(min({said}) = max({said}), min({tag}), NULL) AS {tag}"


def _charges(
    backend: Backend,
    deliveries: Sequence[Delivery],
    asked: Mapping[str, list[str]],
    settings: Settings,
    known: Compiled,
) -> str:
    """The lines of the resources that are asked for in their months, in our schema."""
    parts: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    every = sorted({name for names in asked.values() for name in names})
    for delivery in deliveries:
        wanted = asked.get(delivery.key.period, every)
        for form, paths in lines.alike([delivery]):
            found, column = lines.columns(paths[0]), formats.RESOURCES.get(form)
            if column and column in found.names:
                few = f"{lines.read(paths)} WHERE {_among(column, wanted)}"
                parts[form, str(found)].append(few)
    texts = []
    for number, ((form, _), selects) in enumerate(parts.items()):
        name, text = f"{LINES}_{number}", " UNION ALL BY NAME ".join(selects)
        backend.con.execute(f"CREATE OR REPLACE VIEW {name} AS {text}")
        texts.append(engines.delivered(engines.rows, backend.table(name), form, settings, known))
    return " UNION ALL ".join(f"FROM ({text})" for text in texts) or lines.empty(
        "charges", settings
    )


def _among(column: str, resources: Sequence[str]) -> str:
    """Said in full, a file's reader looks for them before it reads anything else."""
    if len(resources) > MOST:
        return "true"
    names = ", ".join(f"'{lines.quoted(name)}'" for name in sorted(resources))
    return f'CAST("{column}" AS VARCHAR) IN ({names})'


def _time(start: str, end: str) -> str:
    """When a line's time began and ended; where it tells no end, its day."""
    day = f"date_trunc('day', {start})"
    return (
        f"if({end} > {start}, {start}, {day}) AS began, "
        f"if({end} > {start}, {end}, {day} + INTERVAL 1 DAY) AS ended"
    )


_ASKED = """
SELECT {key}, list(DISTINCT {what})
FROM (SELECT *, strftime(unnest(generate_series(
        date_trunc('month', used_from), greatest(used_from, used_to - INTERVAL 1 MICROSECOND),
        INTERVAL 1 MONTH)), '%Y-%m') AS month FROM ({mine}))
GROUP BY {key}"""
_OWNERS = f"""
SELECT {", ".join(LINE)}, {{tags}}, min(day) AS day
FROM (
  SELECT a.*, c.* EXCLUDE (began, ended), greatest(a.began, c.began)::DATE AS day,
    c.SkuMeter IS NOT DISTINCT FROM a.sku AS alike
  FROM (SELECT DISTINCT {", ".join(LINE)}, {_time("used_from", "used_to")} FROM mine) AS a
  JOIN (SELECT *, {_time("ChargePeriodStart", "ChargePeriodEnd")} FROM charged
        WHERE ChargeCategory = 'Usage' AND ChargeClass IS DISTINCT FROM 'Correction') AS c
    ON c.ResourceId = a.corrects AND c.began < a.ended AND c.ended > a.began
    AND date_trunc('month', c.BillingPeriodStart) >= date_trunc('month', a.began)
    AND date_trunc('month', c.BillingPeriodStart) < a.ended
    AND coalesce(c.SubAccountId, c.BillingAccountId) IS NOT DISTINCT FROM a.account
  QUALIFY alike = max(alike) OVER (PARTITION BY {", ".join(LINE)}))
GROUP BY {", ".join(LINE)}"""
"""Whose a resource was, as far as its charges agree, and its first day.

Those of its own months' bills alone: so it is the same however a bill is cut into deliveries.
"""
