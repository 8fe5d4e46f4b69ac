"""Creates gauges for Prometheus, with one value or one per label; unknown values are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal

from prometheus_client.core import GaugeMetricFamily

Value = float | int | bool | Decimal | date | None
MOST_SERIES = 500
"""How many label values one metric has; further ones are left out."""
LONGEST_LABEL = 256


def gauge(name: str, meaning: str, value: Value) -> Iterator[GaugeMetricFamily]:
    """Yields a Prometheus gauge with one value; nothing if the value is None."""
    if value is not None:
        yield GaugeMetricFamily(f"breakeven_{name}", meaning, value=_number(value))


def gauges(
    name: str, meaning: str, label: str, values: Iterable[tuple[str, Value]]
) -> Iterator[GaugeMetricFamily]:
    """Yields a Prometheus gauge with a series per label whose value is known, at most 500."""
    family = GaugeMetricFamily(f"breakeven_{name}", meaning, labels=[label])
    known = [(text, value) for text, value in values if value is not None]
    for text, value in known[:MOST_SERIES]:
        family.add_metric([text[:LONGEST_LABEL]], _number(value))
    if known:
        yield family


def _number(value: float | Decimal | date) -> float:
    """Converts a number, instant or day to a float for Prometheus; times to seconds since 1970."""
    if isinstance(value, date):
        return _instant(value).timestamp()
    return float(value)


def _instant(value: date) -> datetime:
    if not isinstance(value, datetime):
        return datetime.combine(value, time(), UTC)
    return value if value.tzinfo else value.replace(tzinfo=UTC)
