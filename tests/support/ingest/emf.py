"""CloudWatch's embedded metric format, as AWS publishes it: its JSON schema, and its limits."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

UNITS = [
    *("Seconds", "Microseconds", "Milliseconds", "Percent", "Count", "Count/Second", "None"),
    *("Bytes", "Kilobytes", "Megabytes", "Gigabytes", "Terabytes", "Bits", "Bytes/Second"),
]
"""Most of them."""
NAME = {"type": "string", "minLength": 1, "maxLength": 1024}
METRIC = {
    "type": "object",
    "required": ["Name"],
    "properties": {
        "Name": NAME,
        "Unit": {"enum": UNITS},
        "StorageResolution": {"enum": [1, 60]},
    },
    "additionalProperties": False,
}
DIRECTIVE = {
    "type": "object",
    "required": ["Namespace", "Dimensions", "Metrics"],
    "properties": {
        "Namespace": NAME,
        "Dimensions": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "array",
                "maxItems": 30,
                "items": {"type": "string", "minLength": 1, "maxLength": 250},
            },
        },
        "Metrics": {"type": "array", "minItems": 1, "maxItems": 100, "items": METRIC},
    },
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "required": ["_aws"],
    "properties": {
        "_aws": {
            "type": "object",
            "required": ["Timestamp", "CloudWatchMetrics"],
            "properties": {
                "Timestamp": {"type": "integer"},
                "CloudWatchMetrics": {"type": "array", "minItems": 1, "items": DIRECTIVE},
                "LogGroupName": NAME,
                "LogStreamName": NAME,
            },
            "additionalProperties": False,
        }
    },
}
EVENT = 256 * 1024
"""Bytes of a log event."""


def metrics(text: str) -> list[dict[str, Any]]:
    """The metrics that CloudWatch extracts from the lines, as `tests.support.aws` holds them."""
    lines = (line for line in text.splitlines() if line.startswith('{"_aws"'))
    return [metric for line in lines for metric in _extracted(line)]


def values(text: str) -> list[dict[str, float]]:
    """Of each line its values by metric."""
    lines = [line for line in text.splitlines() if line.startswith('{"_aws"')]
    return [{m["name"]: m["points"][0][1] for m in _extracted(line)} for line in lines]


def _extracted(line: str) -> list[dict[str, Any]]:
    assert len(line) < EVENT
    document = json.loads(line, parse_constant=_no_number)
    _validate(document)
    about = document["_aws"]
    return [
        {
            "namespace": directive["Namespace"],
            "name": metric["Name"],
            "dimensions": {name: _dimension(document[name]) for name in names},
            "points": [[_instant(about["Timestamp"]), _number(document[metric["Name"]])]],
        }
        for directive in about["CloudWatchMetrics"]
        for metric in directive["Metrics"]
        for names in directive["Dimensions"]
    ]


def _validate(document: object) -> None:
    """Its import compiles grammars for a second: who collects tests does not wait for them."""
    import jsonschema

    jsonschema.validate(document, SCHEMA)


def _dimension(value: object) -> str:
    """Text of printable ASCII, and not only of spaces."""
    assert isinstance(value, str)
    assert value.strip()
    assert value.isascii()
    assert value.isprintable()
    assert len(value) <= 1024
    assert not value.startswith(":")
    return value


def _number(value: object) -> float:
    assert isinstance(value, (int, float))
    assert not isinstance(value, bool)
    return value


def _instant(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()


def _no_number(text: str) -> float:
    raise AssertionError(f"{text} is no JSON")
