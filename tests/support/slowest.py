"""Prints the 20 slowest tests of a run: `python -m tests.support.slowest REPORT.xml`."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

COUNT = 20


def slowest(report: str) -> list[str]:
    """One line a test: seconds, file and name, the slowest first."""
    cases = ElementTree.parse(report).getroot().iter("testcase")
    timed = [
        (float(case.get("time", 0)), case.get("classname"), case.get("name")) for case in cases
    ]
    timed.sort(key=lambda case: case[0], reverse=True)
    return [f"{seconds:7.2f} s  {where}::{name}" for seconds, where, name in timed[:COUNT]]


if __name__ == "__main__":
    sys.stdout.write("\n".join(slowest(sys.argv[1])) + "\n")
