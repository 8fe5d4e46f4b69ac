"""Records in the ledger every attempt that AWS may bill, before it is sent.

botocore repeats throttled and unanswered calls by itself, after a random pause that doubles
(`ingest.aws.client_config`). AWS does not bill a call that it refuses, but nobody can tell whether
one without an answer was billed. So each attempt counts: the ledger may claim a cent too much, and
the daily cap may stop a cent too early, never too late.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ingest.paid_requests.ledger import RequestLedger


class MeteredClient:
    """Wraps an account's boto3 client: records attempts as paid, refuses them at the daily cap."""

    def __init__(
        self,
        client: Any,  # noqa: ANN401
        ledger: RequestLedger,
        source: str,
        account: str,
        prices: Mapping[str, Decimal] | None = None,
    ) -> None:
        """Makes a boto3 client record each paid call; `prices` are fixed prices by operation."""
        self.ledger, self.source, self.account = ledger, source, account
        self._client = client
        self._prices = prices or {}
        self._price = Decimal(0)
        client.meta.events.register("before-send", self._pay)

    def call(self, method: str, price: Decimal, **request: object) -> dict[str, Any]:
        """Calls an AWS operation that costs `price`; `BudgetError` if it would exceed the cap."""
        self._price = price
        answer: dict[str, Any] = getattr(self._client, method)(**request)
        return answer

    def _pay(self, event_name: str, **_: object) -> None:
        """Records an attempt of a paid AWS call in the ledger before it is sent."""
        operation = event_name.rpartition(".")[2]
        price = self._prices.get(operation, self._price)
        self.ledger.pay(self.source, self.account, operation, price)
