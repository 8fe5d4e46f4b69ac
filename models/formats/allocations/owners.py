"""Finds the workload and the run of a job from its own columns, its labels and the tag rules."""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Tags
from models.contract.portfolio import PORTFOLIO
from models.formats import fields
from models.formats.json_fields import entry
from models.formats.tag_keys import without_prefix
from models.formats.tag_rules import corrected

SCHEDULER_RUN = "scheduler_run"
"""The label of what the scheduler itself calls a run: it counts where nothing else names the run.

The reader of a scheduler does not decide that, because `tags.run` may change after a day was read.
"""


def owners(lines: ir.Table, tags: Tags, started: ir.TimestampValue) -> dict[str, ir.StringValue]:
    """Returns the columns `workload` and `run` of jobs: by tag rule, else own column, else label.

    A run that none of them names is what its scheduler calls it, if it does.
    A rule matches labels by `label.<key>`, and `resource` and `account` as it does on a bill.
    """
    found = {}
    for name, *keys in (("workload", tags.workload), ("run", tags.run, SCHEDULER_RUN)):
        labels = (entry(lines, "labels", without_prefix(key)) for key in keys)
        given = ibis.coalesce(fields.text(lines, name), *labels)
        given = cast(ir.StringValue, given.nullif(PORTFOLIO))
        found[name] = corrected(lines, name, given, tags, started)
    return found
