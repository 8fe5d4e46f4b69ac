"""The page of metrics: name, labels and meaning, from the calls that make them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from documentation.reference.markdown import ROOT, code, page, table

FOLDER = ROOT / "dashboard" / "server" / "metrics"
INTRODUCTION = """\
Prometheus reads them where `serve.metrics` says: [metrics](../operations/metrics.md). Times are
seconds since 1970, ages are seconds, dollars are doubles. A metric whose value is unknown is
absent."""


class Metric(NamedTuple):
    """One metric as Prometheus shows it."""

    name: str
    labels: tuple[str, ...]
    meaning: str


def metrics() -> str:
    """Returns the page of all metrics, by name."""
    rows = ((code(m.name), ", ".join(map(code, m.labels)), m.meaning) for m in sorted(_metrics()))
    return page("Metrics", [INTRODUCTION], table(("metric", "labels", "meaning"), rows))


def _metrics() -> Iterator[Metric]:
    for file in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                yield from _made(node)


def _made(call: ast.Call) -> Iterator[Metric]:
    """Yields the Prometheus metric that a call in the code defines, if it defines one."""
    maker = ast.unparse(call.func)
    constants = [ast.literal_eval(a) for a in call.args if isinstance(a, ast.Constant | ast.Tuple)]
    if maker in ("gauge", "gauges"):
        name, meaning, *labels = constants
        yield Metric(f"breakeven_{name}", tuple(labels) if maker == "gauges" else (), meaning)
    elif maker == "GaugeMetricFamily":
        named = {each.arg: each.value for each in call.keywords}
        given: tuple[str, ...] = ast.literal_eval(named["labels"]) if "labels" in named else ()
        yield Metric(constants[0], tuple(given), constants[1])
    elif maker in ("Counter", "Histogram"):
        ending = "_total" if maker == "Counter" else ""
        yield Metric(f"{constants[0]}{ending}", constants[2], constants[1])
