"""Matches billed fees to the Capacity Blocks that they pay for (METHOD §2.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from models.contract import schema
from models.engine.context import BuildContext
from models.engine.contract_tables import fill
from models.formats.bill.cost_explorer import NAME as COST_EXPLORER
from models.marts.cost.capacity_blocks import known_blocks as capacity
from models.marts.cost.capacity_blocks.billed_fees import Fee, Share
from models.marts.cost.capacity_blocks.block_fees import shares
from models.marts.cost.capacity_blocks.known_blocks import Block

FEES = """
SELECT billing_account, account, region, instance_type, coalesce(reservation, commitment),
    date, billed_cost < 0, sum(billed_cost),
    CASE WHEN count(*) = count(list_cost) THEN sum(list_cost) END,
    CASE WHEN count(*) = count(contracted_cost) THEN sum(contracted_cost) END
FROM attributed
WHERE attribution = 'purchase' AND purchase_option = 'capacity_block' AND billed_cost <> 0
    AND instance_type IS NOT NULL
GROUP BY ALL"""


def known_blocks(context: BuildContext) -> Iterator[dict[str, Any]]:
    """Lists the Capacity Blocks of EC2 and of the config, each once, as rows."""
    queries = (capacity.RESERVATIONS, capacity.EXTENSIONS)
    from_ec2 = capacity.blocks_from_ec2(
        *(context.backend.con.execute(sql).fetchall() for sql in queries)
    )
    for block in capacity.known_blocks(context.settings.capacity_blocks, from_ec2):
        yield block.row()


def match_fees(context: BuildContext) -> None:
    """Writes `block_fees`: how many dollars of each billed fee pay for each Capacity Block.

    It runs after `attributed`.
    """
    backend = context.backend
    rows = backend.con.sql("FROM known_blocks").to_arrow_table().to_pylist()
    blocks = [Block(row.pop("block"), **row) for row in rows]
    fees = [Fee(*row) for row in backend.con.execute(FEES).fetchall()] if blocks else []
    fees = _without_accounts(context, fees)
    fill(backend, "block_fees", [_paid(share) for share in shares(blocks, fees)])


def _without_accounts(context: BuildContext, fees: Sequence[Fee]) -> list[Fee]:
    """Returns the fees; those from Cost Explorer, which names only payers, get all payers' ids."""
    payers = frozenset(each.key.unit for each in context.bills)
    of_payers = {
        (each.key.unit, each.key.period) for each in context.bills if each.format == COST_EXPLORER
    }
    return [
        fee._replace(own_bills=payers)
        if (fee.billing_account, f"{fee.date:%Y-%m}") in of_payers
        else fee
        for fee in fees
    ]


def _paid(share: Share) -> dict[str, Any]:
    fee = share.fee._asdict()
    return {
        **{name: value for name, value in fee.items() if name in schema.BESIDE["block_fees"]},
        "block": share.block,
        "billed_cost": share.part,
        "list_cost": share.part_of(share.fee.listed),
        "contracted_cost": share.part_of(share.fee.contracted),
    }
