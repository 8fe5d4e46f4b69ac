"""Reads what earlier pulls delivered of Cost Explorer's months, to decide what to ask for again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.sources.cost_explorer.lines import SCHEMA, LinesByMonth
from ingest.sources.cost_explorer.partition import REFUND
from ingest.sources.cost_explorer.requests import Bill
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.zone import RawZone


@dataclass(frozen=True)
class DeliveredMonths:
    """The live deliveries of one account's bill; `is_money` as of the source."""

    zone: RawZone
    source: str
    bill: Bill
    is_money: bool

    def live(self, month: str) -> Delivery | None:
        """Returns the live delivery of a month; None without one."""
        return self.zone.current(Key(self.source, self.bill.account, month))

    def pulled_at(self, month: str) -> str:
        """Returns when a month was last delivered, as ISO text; empty where it never was."""
        live = self.live(month)
        return live.pulled_at.isoformat() if live else ""

    def has_news(self, pairs: LinesByMonth, month: str) -> bool:
        """Whether a month's totals by tag differ from those of its live delivery."""
        return _sorted_rows(pairs[month]) != self._pairs(month)

    def refunds(self, month: str) -> pa.Table | None:
        """Returns a month's refunds as delivered earlier in this calendar week; else None."""
        live = self._comparable(month)
        if live is None:
            return None
        if live.pulled_at.isocalendar()[:2] != datetime.now(UTC).isocalendar()[:2]:
            return None
        lines = _lines(live)
        return lines.filter(pc.equal(lines["record_class"], REFUND).fill_null(False))

    def is_outdated(self, delivery: Delivery) -> bool:
        """Whether AWS called any of it an estimate, or today's requests would be different."""
        if not delivery.present:
            return False
        estimated = pc.any(pc.equal(_lines(delivery)["estimated"], "true")).as_py()
        return bool(estimated) or not self._has_same_requests(delivery)

    def _pairs(self, month: str) -> list[Any] | None:
        """Returns the `pair` lines of a month's live delivery; None where it cannot be compared."""
        live = self._comparable(month)
        if live is None:
            return None
        lines = _lines(live)
        return _sorted_rows(lines.filter(pc.equal(lines["request"], "pair")))

    def _comparable(self, month: str) -> Delivery | None:
        """Returns a month's live delivery if it is there and came from today's requests."""
        live = self.live(month)
        if live is None or not live.present or not self._has_same_requests(live):
            return None
        return live

    def _has_same_requests(self, delivery: Delivery) -> bool:
        """Whether a delivery came from the requests that would be made now, with the same tags."""
        lines = _lines(delivery)
        first = "pair" if self.is_money else "account"
        asked = lines.filter(pc.equal(lines["request"], first))
        keys = set(asked["tag_key"].to_pylist())
        return lines.num_rows == 0 or keys == {self.bill.tag_keys if self.is_money else None}


def _sorted_rows(lines: pa.Table) -> list[Any]:
    """Returns the rows in an order of our own, because AWS promises none."""
    return sorted(lines.to_pylist(), key=str)


def _lines(delivery: Delivery) -> pa.Table:
    """Returns all lines of a delivery; columns that it was made before are null."""
    parts = [pq.read_table(path) for path in delivery.paths]
    found = pa.concat_tables(parts, promote_options="default")
    for name in SCHEMA.names:
        if name not in found.column_names:
            found = found.append_column(name, pa.nulls(found.num_rows, pa.string()))
    return found.select(SCHEMA.names)
