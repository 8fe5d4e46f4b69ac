"""Data Exports over `exports`: {"name", "bucket", "prefix", "query", "health", "executions"}.

`health` is an ExportStatus, `executions` are ExecutionStatuses, in AWS's words.
"""

from __future__ import annotations

from typing import Any

from tests.support.aws.pages import page
from tests.support.aws.protocol import Refusal

ARN = "arn:aws:bcm-data-exports:us-east-1:1:export/"
OUTPUT = {
    "OutputType": "CUSTOM",
    "Format": "PARQUET",
    "Compression": "PARQUET",
    "Overwrite": "OVERWRITE_REPORT",
}


def list_exports(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    shown, token = page(world.get("exports", []), asked, 2, "NextToken")
    told = [
        {"ExportArn": ARN + one["name"], "ExportName": one["name"], "ExportStatus": one["health"]}
        for one in shown
    ]
    return {"Exports": told, **token}


def get_export(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    one = _named(asked, world)
    place = {"S3Bucket": one["bucket"], "S3Prefix": one["prefix"], "S3Region": "us-east-1"}
    export = {
        "ExportArn": asked["ExportArn"],
        "Name": one["name"],
        "DataQuery": {"QueryStatement": one["query"]},
        "DestinationConfigurations": {"S3Destination": {**place, "S3OutputConfigurations": OUTPUT}},
        "RefreshCadence": {"Frequency": "SYNCHRONOUS"},
    }
    return {"Export": export, "ExportStatus": one["health"]}


def list_executions(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    shown, token = page(_named(asked, world)["executions"], asked, 2, "NextToken")
    told = [{"ExecutionId": str(n), "ExecutionStatus": state} for n, state in enumerate(shown)]
    return {"Executions": told, **token}


def _named(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    for one in world.get("exports", []):
        if ARN + one["name"] == asked["ExportArn"]:
            return dict(one)
    raise Refusal("ResourceNotFoundException", asked["ExportArn"])
