"""Numbers the stretches of days that follow each other without a gap.

Example: of the 1st, 2nd, 3rd and 7th, the first three share one `spell`, the 7th has another.
"""

from __future__ import annotations

from collections.abc import Sequence

import ibis
import ibis.expr.types as ir


def with_spells(days: ir.Table, owner: Sequence[str]) -> ir.Table:
    """Adds a column `spell`, equal for an owner's dates that follow each other without a gap.

    `days` must have one row per owner and `date`. The value itself means nothing.
    """
    window = ibis.window(group_by=[days[key] for key in owner], order_by=days.date)
    return days.mutate(spell=days.date.epoch_days() - ibis.row_number().over(window))
