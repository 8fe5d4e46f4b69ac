"""Lists the names of the flags that apply to a row."""

from __future__ import annotations

from collections.abc import Mapping

import ibis
import ibis.expr.types as ir


def flag_list(flags: Mapping[str, ir.Value]) -> ir.Value:
    """Returns a column with the list of the flags true for each row, in the given order."""
    names = [ibis.ifelse(holds, name, ibis.null("string")) for name, holds in flags.items()]
    return ibis.array(names).filter(lambda name: name.notnull())
