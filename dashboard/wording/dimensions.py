"""Defines the dimensions by which runs are grouped and filtered: facts, tags and charges.

A key is also the name in the URL and the column that is read. Anyone may have typed a URL, so only
the keys in this file reach a query.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.wording.statuses import PARITY, comparability_label
from dashboard.wording.theme import hardware

TAG = "tag_"
NONE = "none"
"""The value of a parameter that chooses no dimension."""
NOT_SET = "not set"
IDENTIFIED = {"allocation": "Allocation", "rule": "Rule", "tag": "Tag"}
"""What ties a run to its machines, in words."""


@dataclass(frozen=True)
class Dimension:
    """A dimension that runs are grouped or filtered by: its key, label and kind.

    `charged` marks a dimension in which the charges of one run may differ, such as two regions. The
    run's epochs are then split by accelerator-hours.
    """

    key: str
    label: str
    charged: bool = False

    def name(self, value: str | None) -> str:
        """Formats a dimension's value for people; "not set" if there is none."""
        if self.key == "comparability":
            return comparability_label(value)
        if not value:
            return NOT_SET
        match self.key:
            case "hardware":
                return hardware(value).label
            case "parity":
                return PARITY.get(value, (value, ""))[0]
            case "identified_by":
                return IDENTIFIED.get(value, value)
            case "purchase_option":
                return value.replace("_", " ").capitalize()
        return value


Dimensions = Mapping[str, Dimension]
"""Dimensions by their key."""

DIMENSIONS = (
    Dimension("workload", "Workload"),
    Dimension("hardware", "Hardware"),
    Dimension("platform", "Platform"),
    Dimension("purpose", "Purpose"),
    Dimension("recipe", "Recipe"),
    Dimension("parity", "Quality"),
    Dimension("comparability", "Work"),
    Dimension("identified_by", "Identified by"),
    Dimension("region", "Region", charged=True),
    Dimension("purchase_option", "Purchase option", charged=True),
    Dimension("instance_type", "Instance type", charged=True),
    Dimension("account", "Account", charged=True),
)


def dimensions(tag_columns: Iterable[str]) -> dict[str, Dimension]:
    """Maps key to dimension of runs: those of the given tag columns, then all the others."""
    tags = (Dimension(column, column.removeprefix(TAG)) for column in tag_columns)
    return {each.key: each for each in (*tags, *DIMENSIONS)}


def options(
    rows: Iterable[Mapping[str, str | None]], dims: Mapping[str, Dimension]
) -> list[dict[str, str]]:
    """Returns label and URL value of a filter choice for each value of each dimension of runs."""
    return [
        {
            "label": f"{dims[key].label}: {dims[key].name(row['value'])}",
            "value": f"{key}={row['value'] or ''}",
        }
        for row in rows
        if (key := str(row["key"])) in dims
    ]
