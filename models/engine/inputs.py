"""The tables a build lays beside the delivered rows: config, catalogue, totals, news."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.datatypes as dt
from ibis.backends.duckdb import Backend
from ibis.backends.sql.datatypes import DuckDBType

from models.config.settings import Settings
from models.contract import catalogue, schema
from models.engine import reduction, runs_hidden_by_grouping
from models.engine.context import BuildContext
from models.formats.bill import cost_explorer, cur2
from models.marts.cost.capacity_blocks import known_blocks as capacity
from models.marts.cost.capacity_blocks.block_fees import Fee, Share, shares
from models.marts.cost.capacity_blocks.known_blocks import Block
from models.raw import feeds, restatements
from models.raw.zone import Delivery

LEDGER = "requests.jsonl"
MONTH = re.compile(r"^\d{4}-\d{2}$")
BASES = {"BilledCost": "billed", "EffectiveCost": "effective"}
FEES = """
SELECT billing_account, account, region, instance_type, coalesce(reservation, commitment),
    date, billed_cost < 0, sum(billed_cost),
    CASE WHEN count(*) = count(list_cost) THEN sum(list_cost) END,
    CASE WHEN count(*) = count(contracted_cost) THEN sum(contracted_cost) END
FROM attributed
WHERE attribution = 'purchase' AND purchase_option = 'capacity_block' AND billed_cost <> 0
    AND instance_type IS NOT NULL
GROUP BY ALL"""
GROSS = """
SELECT DISTINCT BillingAccountId, strftime(BillingPeriodStart, '%Y-%m') FROM charges
WHERE ChargeDescription LIKE ? ORDER BY ALL"""
NEWS = ("requested", "noticed", "feeds", "delivered")
COLUMNS = {**schema.CONFIG, **schema.BESIDE, **schema.EXPLAINERS}


def fill(backend: Backend, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replaces table `name` of the contract by `rows` (columns by name).

    By lists, one a column: Arrow would import pandas to look at any Python value.
    """
    columns = ibis.schema(dict(COLUMNS[name]))
    told = ", ".join(f'{_unfolded(kind)} AS "{column}"' for column, kind in columns.items())
    given = [[_plain(row.get(column)) for row in rows] for column in columns]
    backend.con.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT {told}', given)


def _unfolded(kind: dt.DataType) -> str:
    """A column from the list that is its parameter."""
    if kind.is_map():
        return f"unnest(?::VARCHAR[])::JSON::{DuckDBType.to_string(kind)}"
    return f"unnest(?::{DuckDBType.to_string(kind)}[])"


def _plain(value: object) -> object:
    """Decimals and maps as their exact text; a list of decimals of many scales has no one type."""
    if isinstance(value, dict):
        return json.dumps(value, default=str)
    return str(value) if isinstance(value, Decimal) else value


def lay(context: BuildContext) -> None:
    """The config's tables and the totals to tie out against."""
    backend, settings, bills = context.backend, context.settings, context.bills
    fill(backend, "config_runs", [run.model_dump() for run in settings.runs])
    fill(backend, "config_workloads", list(_workloads(settings)))
    fill(backend, "config_investments", list(_investments(settings)))
    fill(backend, "config_accounts", list(_accounts(settings)))
    rows = [backend.con.execute(sql).fetchall() for sql in (capacity.TOLD, capacity.LONGER)]
    told = capacity.told(*rows)
    every = capacity.known(settings.capacity_blocks, told)
    fill(backend, "known_blocks", [block.row() for block in every])
    fill(backend, "gross_bills", list(_gross(backend, bills)))
    fill(backend, "member_bills", list(_members(bills, settings)))
    fill(backend, "delivered_months", list(_delivered_months(bills)))
    fill(backend, "untold", list(runs_hidden_by_grouping.runs(backend, bills)))
    fill(backend, "bill_totals", list(_totals(context)))


def lay_catalog(backend: Backend) -> Sequence[Mapping[str, Any]]:
    """The accelerators that are known; returns them."""
    rows = [entry._asdict() for entry in catalogue.accelerators()]
    fill(backend, "catalog", rows)
    return rows


def lay_news(context: BuildContext) -> None:
    """What each feed last brought and said, and what asking cost today."""
    backend, settings = context.backend, context.settings
    fill(backend, "requested", list(_requested(settings.data / LEDGER)))
    fill(backend, "noticed", list(_noticed(settings.data / feeds.FILE)))
    told = feeds.rows(settings.data, settings)
    fill(backend, "feeds", told)
    pulled = {row["source"]: row["last_success"] for row in told if row["last_success"]}
    days = reduction.news(context)
    fill(
        backend,
        "delivered",
        [
            day._asdict() | {"pulled_at": max(day.pulled_at, pulled.get(day.source, day.pulled_at))}
            for day in days
        ],
    )


def lay_restated(context: BuildContext) -> None:
    """What each of all deliveries changed of the one before, whether or not it counts now."""
    restated = _restated(context.deliveries, context.settings)
    fill(context.backend, "restated", list(restated))


def _workloads(settings: Settings) -> Iterator[dict[str, Any]]:
    for entry in settings.workloads:
        yield entry.model_dump(exclude={"name"}) | {"workload": entry.name}


def _accounts(settings: Settings) -> Iterator[dict[str, Any]]:
    for entry in settings.accounts:
        yield {"account": entry.id, "closed": entry.closed}


def _investments(settings: Settings) -> Iterator[dict[str, Any]]:
    for entry in settings.investments:
        yield {
            "date": entry.date,
            "workload": entry.workload,
            "kind": entry.kind,
            "amount": entry.one_time,
            "amount_per_month": entry.amount_per_month,
        }


def match_fees(backend: Backend) -> None:
    """Fills `block_fees`: which fee on the bill pays for which block; after `attributed`."""
    rows = backend.con.sql("FROM known_blocks").to_arrow_table().to_pylist()
    blocks = [Block(row.pop("block"), **row) for row in rows]
    fees = [Fee(*row) for row in backend.con.execute(FEES).fetchall()] if blocks else []
    fill(backend, "block_fees", [_paid(share) for share in shares(blocks, fees)])


def _paid(share: Share) -> dict[str, Any]:
    fee = share.fee._asdict()
    return {
        **{name: value for name, value in fee.items() if name in schema.BESIDE["block_fees"]},
        "block": share.block,
        "billed_cost": share.part,
        "list_cost": share.of(share.fee.listed),
        "contracted_cost": share.of(share.fee.contracted),
    }


def _gross(backend: Backend, money: Sequence[Delivery]) -> Iterator[dict[str, Any]]:
    """Where the figures are gross: Cost Explorer's lines are few, an export's are not read."""
    found = {(account, month) for delivery in money for account, month in _gross_exports(delivery)}
    if any(delivery.format == cost_explorer.NAME for delivery in money):
        found.update(backend.con.execute(GROSS, [f"%{cost_explorer.GROSS}"]).fetchall())
    for account, month in sorted(found, key=lambda bill: (bill[0] or "", bill[1])):
        yield {"billing_account": account, "billing_period": month}


def _gross_exports(delivery: Delivery) -> Iterator[tuple[str | None, str]]:
    for accounts, sums in delivery.totals.items():
        billing, _, month = accounts.split("|")
        if Decimal(sums.get(cur2.GROSS_LINES, "0")) > 0:
            yield billing or None, month


def _members(money: Sequence[Delivery], settings: Settings) -> Iterator[dict[str, Any]]:
    """Whose bill Cost Explorer told to the account itself, though `organization.payer` pays it."""
    payer = settings.organization.payer
    told = {d.key.unit for d in money if d.format == "cost_explorer"}
    for account in sorted(told - {payer}) if payer else ():
        yield {"billing_account": account}


def _delivered_months(money: Iterable[Delivery]) -> Iterator[dict[str, Any]]:
    """A month without a charge tells of a payer only where no other is told by the same unit."""
    payers: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    months: dict[str, str] = {}
    told = [(d.key.source, d.key.unit, d) for d in money if MONTH.match(d.key.period)]
    for source, unit, delivery in told:
        payers[source, unit] |= {accounts.partition("|")[0] for accounts in delivery.totals}
    for source, unit, delivery in told:
        if len(payers[source, unit]) == 1:
            (payer,) = payers[source, unit]
            months[payer] = max(months.get(payer, ""), delivery.key.period)
    for payer, month in sorted(months.items()):
        yield {"billing_account": payer or None, "month": month}


def _totals(context: BuildContext) -> Iterator[dict[str, Any]]:
    """The independent totals, best first: invoice, Cost Explorer as a check, the export's own."""
    settings, money = context.settings, context.bills
    bills = {tuple(accounts.split("|")) for delivery in money for accounts in delivery.totals}
    for invoice in settings.invoices:
        key = invoice.account, invoice.month
        pays = {(payer, month) for payer, _, month in bills}
        payers = [payer for payer, *rest in sorted(bills) if tuple(rest) == key]
        for payer in [invoice.account] if key in pays else payers or [invoice.account]:
            yield _total(payer, *key, "billed", invoice.amount, "invoice", 0)
    for delivery in context.live:
        if delivery.format == "cost_explorer" and settings.cost.source not in (
            delivery.key.source,
            delivery.format,
        ):
            for row in _delivered_totals(delivery, "cost_explorer", 1):
                yield row | {"billing_account": _payer(row, bills)}
    for delivery in money:
        yield from _delivered_totals(delivery, "self_check", 2)


def _payer(row: Mapping[str, Any], bills: Iterable[tuple[str, ...]]) -> str | None:
    """Who pays for an account by the bill that is checked: a member that is asked does not know."""
    mine = row["account"] or "", row["month"]
    payers = sorted(payer for payer, *rest in bills if tuple(rest) == mine)
    own = row["billing_account"]
    return own if own in payers or len(payers) != 1 else payers[0]


def _delivered_totals(delivery: Delivery, source: str, rank: int) -> Iterator[dict[str, Any]]:
    for accounts, sums in delivery.totals.items():
        billing, account, month = accounts.split("|")
        for column, basis in BASES.items():
            if column in sums:
                yield _total(
                    billing or None, account or None, month, basis, sums[column], source, rank
                )


def _total(
    billing: str | None,
    account: str | None,
    month: str,
    basis: str,
    total: object,
    source: str,
    rank: int,
) -> dict[str, Any]:
    return {
        "month": month,
        "billing_account": billing,
        "account": account,
        "basis": basis,
        "total": Decimal(str(total)),
        "source": source,
        "rank": rank,
    }


def _requested(ledger: Path) -> Iterator[dict[str, Any]]:
    """Today's paid requests, as `ingest` recorded them before sending each.

    Today is the clock's, as the ledger and the daily cap have it: AWS bills whoever asks now,
    whatever day `as_of` pins.
    """
    today = datetime.now(UTC).date()
    for entry in _read(ledger):
        if date.fromisoformat(entry["at"][:10]) == today:
            yield {
                "source": entry["source"],
                "account": entry["account"],
                "dollars": Decimal(entry["dollars"]),
            }


def _restated(every: Iterable[Delivery], settings: Settings) -> Iterator[dict[str, Any]]:
    counted = {d.key.source for d in every if settings.cost.source in (d.key.source, d.format)}
    for change in restatements.changes(every, settings.cost.settle_days):
        yield vars(change) | {
            "pulled_at": change.pulled_at.replace(tzinfo=None),
            "counted": change.source in counted,
        }


def _noticed(journal: Path) -> Iterator[dict[str, Any]]:
    """What each source's last pull told of what it brought, where it told anything."""
    last = {entry["source"]: entry["notices"] for entry in _read(journal) if "notices" in entry}
    for source, told in last.items():
        if told:
            yield {"source": source, "notice": "; ".join(told)}


def _read(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of an append-only file; a crash can tear the last one, which then says nothing."""
    if file.is_file():
        for line in file.read_bytes().splitlines():
            with suppress(ValueError):
                yield json.loads(line)
