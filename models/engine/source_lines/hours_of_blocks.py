"""Finds lines of hours of a Capacity Block that have a price of their own (METHOD §2.7).

An operating system that is not free costs something by the hour beside the block's fee. The build
counts such hours as the block's, which their reservation names; so do the lines behind a number.
"""

from __future__ import annotations

from models.engine.context import BuildContext
from models.engine.inputs.bills.block_fees import known_blocks
from models.engine.reduction import delivered_files
from models.marts.cost.attribution_buckets import IDLE_COMMITMENT

OPTION = f"""CASE WHEN k.accelerated AND l.quantity > 0 AND l.reservation IN (FROM of_blocks)
      AND k.bucket IS DISTINCT FROM '{IDLE_COMMITMENT}'
    THEN 'capacity_block' ELSE k.purchase_option END"""
"""SQL: the purchase option of a line `l` of kind `k`."""


def create(context: BuildContext) -> None:
    """Creates `of_blocks`: texts of reservations in `meant` that contain a Capacity Block's id."""
    con = context.backend.con
    ids: list[str] = []
    if con.execute("SELECT 1 FROM meant WHERE reservation IS NOT NULL LIMIT 1").fetchall():
        mine = [each for each in context.live if delivered_files.view_of(each) == "capacity"]
        delivered_files.create_view(context, "capacity", mine)
        ids = sorted({block["reservation"] for block in known_blocks(context)} - {None})
    con.execute(_OF_BLOCKS, [ids])


_OF_BLOCKS = """
CREATE TEMP TABLE of_blocks AS
SELECT DISTINCT reservation FROM meant, (SELECT unnest(?::VARCHAR[]) AS id)
WHERE contains(reservation, id)"""
