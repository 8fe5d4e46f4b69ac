"""Reads the Cost Explorer months that earlier pulls delivered, to decide what to request again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.sources.bill.cost_explorer.lines import SCHEMA, LinesByMonth
from ingest.sources.bill.cost_explorer.partition import REFUND
from ingest.sources.bill.cost_explorer.requests import Bill
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.zone import RawZone


@dataclass(frozen=True)
class DeliveredMonths:
    """The months of one account's Cost Explorer bill that earlier pulls delivered."""

    zone: RawZone
    source: str
    bill: Bill
    is_money: bool

    def live(self, month: str) -> Delivery | None:
        """Returns the delivery of a month of the bill that counts now; None without one."""
        return self.zone.current(Key(self.source, self.bill.account, month))

    def pulled_at(self, month: str) -> str:
        """Returns, as ISO text, when a month of the bill was last delivered; empty if never."""
        live = self.live(month)
        return live.pulled_at.isoformat() if live else ""

    def has_changed(self, tag_totals: LinesByMonth, month: str) -> bool:
        """Whether a month's totals by tag differ from the delivered ones, or cannot be compared."""
        return _sorted_rows(tag_totals[month]) != self._delivered_totals(month)

    def refunds(self, month: str) -> pa.Table | None:
        """Returns a month's refund lines if delivered this week by the same requests; else None."""
        live = self._comparable(month)
        if live is None:
            return None
        if live.pulled_at.isocalendar()[:2] != datetime.now(UTC).isocalendar()[:2]:
            return None
        lines = _lines(live)
        return lines.filter(pc.equal(lines["record_class"], REFUND).fill_null(False))

    def is_outdated(self, delivery: Delivery) -> bool:
        """Whether a delivered month has estimates or other requests than now; False if no files."""
        if not delivery.present:
            return False
        estimated = pc.any(pc.equal(_lines(delivery)["estimated"], "true")).as_py()
        return bool(estimated) or not self._has_same_requests(delivery)

    def _delivered_totals(self, month: str) -> list[Any] | None:
        """Returns the delivered totals by tag of a month; None if they cannot be compared."""
        live = self._comparable(month)
        if live is None:
            return None
        lines = _lines(live)
        return _sorted_rows(lines.filter(pc.equal(lines["request"], "pair")))

    def _comparable(self, month: str) -> Delivery | None:
        """Returns a month's live delivery if it has its files and came from the same requests."""
        live = self.live(month)
        if live is None or not live.present or not self._has_same_requests(live):
            return None
        return live

    def _has_same_requests(self, delivery: Delivery) -> bool:
        """Whether a delivery came from the requests and tags used now; True if it has no lines."""
        lines = _lines(delivery)
        first = "pair" if self.is_money else "account"
        of_request = lines.filter(pc.equal(lines["request"], first))
        keys = set(of_request["tag_key"].to_pylist())
        return lines.num_rows == 0 or keys == {self.bill.tag_keys if self.is_money else None}


def _sorted_rows(lines: pa.Table) -> list[Any]:
    """Returns the rows of a table in a stable order, because AWS promises none."""
    return sorted(lines.to_pylist(), key=str)


def _lines(delivery: Delivery) -> pa.Table:
    """Returns all Cost Explorer lines of a delivery; columns it did not have yet are null."""
    parts = [pq.read_table(path) for path in delivery.paths]
    found = pa.concat_tables(parts, promote_options="default")
    for name in SCHEMA.names:
        if name not in found.column_names:
            found = found.append_column(name, pa.nulls(found.num_rows, pa.string()))
    return found.select(SCHEMA.names)
