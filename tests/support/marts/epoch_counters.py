"""A counter of epochs in CloudWatch that is not the emitter's: the config says what it means."""

from __future__ import annotations

from typing import Any

SUM = {"statistic": "Sum", "excludes_repeats": True}
COUNTER: dict[str, Any] = {
    "kind": "cloudwatch",
    "name": "counter",
    "namespace": "Training",
    "workload": "summed",
    "dimensions": {"run": "JobName"},
    "metrics": {"epoch": {"metric": "EpochsDone", **SUM}, "loss": "EvalLoss"},
}
