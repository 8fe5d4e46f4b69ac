"""Ranks the sources of progress: which one is used where several report a run (METHOD §3.3)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

SOURCES = (
    "emitter",
    "cloudwatch",
    "sagemaker",
    "mlflow",
    "wandb",
    "tensorboard",
    "trainer_state",
    "lightning",
    "file",
)
"""The column `source` of `progress`, the one that is believed first.

`emitter` is the product's own, through CloudWatch; `cloudwatch` any other metric there."""


def rank(source: ir.Value) -> ir.IntegerValue:
    """Converts a column of progress sources to their rank of preference; 0 is preferred."""
    return ibis.cases(*((source == name, place) for place, name in enumerate(SOURCES)))
