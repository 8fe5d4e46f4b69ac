"""What runs can be told apart by: facts of a run, its tags, and what its charges say.

A key is also what the address says and the column it is read from. Keys come from an address that
anyone may have typed: only those found here reach a query.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.wording.statuses import PARITY, comparability_label
from dashboard.wording.theme import hardware

TAG = "tag_"
NONE = "none"
"""In the address: no second dimension."""
NOT_SET = "not set"


@dataclass(frozen=True)
class Dimension:
    """`charged`: the charges of one run may differ in it, so its epochs are split by hours."""

    key: str
    label: str
    charged: bool = False

    def name(self, value: str | None) -> str:
        """How a value is written; one that nothing said is named, too."""
        if self.key == "comparability":
            return comparability_label(value)
        if not value:
            return NOT_SET
        match self.key:
            case "hardware":
                return hardware(value).label
            case "parity":
                return PARITY.get(value, (value, ""))[0]
            case "purchase_option":
                return value.replace("_", " ").capitalize()
        return value


DIMENSIONS = (
    Dimension("workload", "Workload"),
    Dimension("hardware", "Hardware"),
    Dimension("platform", "Platform"),
    Dimension("purpose", "Purpose"),
    Dimension("recipe", "Recipe"),
    Dimension("parity", "Quality"),
    Dimension("comparability", "Work"),
    Dimension("region", "Region", charged=True),
    Dimension("purchase_option", "Purchase option", charged=True),
    Dimension("instance_type", "Instance type", charged=True),
    Dimension("account", "Account", charged=True),
)


def dimensions(tag_columns: Iterable[str]) -> dict[str, Dimension]:
    """Every dimension by its key; the configured tags first, for they are the reader's own."""
    tags = (Dimension(column, column.removeprefix(TAG)) for column in tag_columns)
    return {each.key: each for each in (*tags, *DIMENSIONS)}


def options(
    rows: Iterable[Mapping[str, str | None]], known: Mapping[str, Dimension]
) -> list[dict[str, str]]:
    """A choice for each value of each dimension, as `conditions` reads it."""
    return [
        {
            "label": f"{known[key].label}: {known[key].name(row['value'])}",
            "value": f"{key}={row['value'] or ''}",
        }
        for row in rows
        if (key := str(row["key"])) in known
    ]
