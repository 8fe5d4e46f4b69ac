"""CloudWatch over `metrics`: {"namespace", "name", "dimensions", "points": [[instant, value]]}.

`now` ages thin datapoints away; `metric_page` and `point_page` size the pages, `state` is said of
results and `messages` of a whole answer. SEARCH shows the first `shown` series (500) of what it
finds, and says so unless the world is `silent`; what does not fit a page gets no token. A series
whose `account` is another is one that a monitoring account finds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any

from tests.support.aws.pages import page
from tests.support.aws.protocol import Refusal

STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "Sum": math.fsum,
    "Maximum": max,
    "Average": fmean,
}
SEARCH = re.compile(
    r"""SEARCH\('(?P<query>\{(?P<schema>[^}]+)\} MetricName="(?P<metric>[^"]+)")', """
    r"""'(?P<statistic>\w+)', (?P<period>\d+)\)"""
)
PROPERTY = re.compile(r"\$\{PROP\('([^']+)'\)\}")
RETENTION = ((3 / 24, 1), (15, 60), (63, 300), (455, 3600))


def list_metrics(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    metrics = [m for m in world["metrics"] if m["namespace"] == asked["Namespace"]]
    if "MetricName" in asked:
        metrics = [m for m in metrics if m["name"] == asked["MetricName"]]
    if "RecentlyActive" in asked:
        since = _instant(world["now"]) - timedelta(hours=3)
        metrics = [m for m in metrics if any(_instant(at) >= since for at, _ in m["points"])]
    shown, token = page(metrics, asked, world.get("metric_page", 500), "NextToken")
    return {"Metrics": [_metric(metric) for metric in shown], **token}


def get_metric_data(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    if len(asked["MetricDataQueries"]) > 500:
        raise Refusal("ValidationError", "at most 500 queries")
    if asked["StartTime"] >= asked["EndTime"]:
        raise Refusal("ValidationError", "StartTime must be less than EndTime")
    if asked.get("ScanBy") != "TimestampAscending":
        raise Refusal("ValidationError", "this fake wants them in order of time")
    if any("Expression" in query for query in asked["MetricDataQueries"]):
        return _search(asked, world)
    series: dict[str, list[dict[str, Any]]] = {}
    for metric in world["metrics"]:
        if metric.get("account", world["account"]) != world["account"]:
            continue
        series.setdefault(_mark(_metric(metric)), []).append(metric)
    points = [
        (query["Id"], moment, value)
        for query in asked["MetricDataQueries"]
        for metric in series.get(_mark(query["MetricStat"]["Metric"]), [])
        for moment, value in _datapoints(metric["points"], query["MetricStat"])
        if asked["StartTime"] <= moment < asked["EndTime"]
        and _survives(moment, query["MetricStat"]["Period"], world["now"])
    ]
    shown, token = page(points, asked, world.get("point_page", 100_800), "NextToken")
    state = "PartialData" if token else world.get("state", "Complete")
    of: dict[str, list[tuple[datetime, float]]] = {}
    for id_, moment, value in shown:
        of.setdefault(id_, []).append((moment, value))
    results = [
        {
            "Id": query["Id"],
            "Label": query["Id"],
            "Timestamps": [moment for moment, _ in of.get(query["Id"], [])],
            "Values": [value for _, value in of.get(query["Id"], [])],
            "StatusCode": state,
        }
        for query in asked["MetricDataQueries"]
    ]
    return {"MetricDataResults": results, "Messages": world.get("messages", []), **token}


def _search(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    found = [
        (query, metric, _searched(query["Expression"]))
        for query in asked["MetricDataQueries"]
        for metric in world["metrics"]
        if _sought(metric, _searched(query["Expression"]))
    ]
    most, size = world.get("shown", 500), world.get("point_page", 100_800)
    results = []
    for query, metric, sought in found[:most]:
        told = [
            (moment, value)
            for moment, value in _datapoints(metric["points"], sought)
            if asked["StartTime"] <= moment < asked["EndTime"]
            and _survives(moment, sought["Period"], world["now"])
        ]
        results.append(
            {
                "Id": query["Id"],
                "Label": _label(query["Label"], metric, world),
                "Timestamps": [moment for moment, _ in told[: max(size, 0)]],
                "Values": [value for _, value in told[: max(size, 0)]],
                "StatusCode": world.get(
                    "state", "Complete" if len(told) <= size else "PartialData"
                ),
            }
        )
        size -= len(told)
    said = "Maximum number of allowed metrics exceeded. Your search may have been limited."
    limited = len(found) > most and not world.get("silent")
    messages = [{"Code": "MaxMetricsExceeded", "Value": said}] if limited else []
    return {"MetricDataResults": results, "Messages": messages}


def _searched(expression: str) -> dict[str, Any]:
    """What SEARCH is asked for, in the words of a MetricStat."""
    parts = SEARCH.fullmatch(expression)
    if parts is None or len(parts["query"]) > 1024:
        raise Refusal("ValidationError", "Error in expression")
    namespace, *names = parts["schema"][1:-1].split('","')
    return {
        "Namespace": namespace,
        "Names": names,
        "MetricName": parts["metric"],
        "Stat": parts["statistic"],
        "Period": int(parts["period"]),
    }


def _sought(metric: dict[str, Any], sought: dict[str, Any]) -> bool:
    """Exactly the dimensions of the schema, and the metric by its name, in whatever case."""
    return (
        metric["namespace"] == sought["Namespace"]
        and set(metric["dimensions"]) == set(sought["Names"])
        and metric["name"].lower() == sought["MetricName"].lower()
    )


def _label(template: str, metric: dict[str, Any], world: dict[str, Any]) -> str:
    known = {f"Dim.{name}": value for name, value in metric["dimensions"].items()}
    known |= {"MetricName": metric["name"], "AccountId": metric.get("account", world["account"])}
    return PROPERTY.sub(lambda found: known.get(found[1], found[0]), template)


def _mark(metric: dict[str, Any]) -> str:
    return json.dumps(metric, sort_keys=True)


def _metric(metric: dict[str, Any]) -> dict[str, Any]:
    dimensions = [{"Name": name, "Value": value} for name, value in metric["dimensions"].items()]
    return {
        "Namespace": metric["namespace"],
        "MetricName": metric["name"],
        "Dimensions": dimensions,
    }


def _datapoints(points: list[Any], asked: dict[str, Any]) -> list[tuple[datetime, float]]:
    """What was published, by periods: CloudWatch keeps each period's statistics, not its values."""
    periods: dict[float, list[float]] = {}
    for moment, value in points:
        at = _instant(moment).timestamp()
        periods.setdefault(at - at % asked["Period"], []).append(value)
    statistic = STATISTICS[asked["Stat"]]
    return [(datetime.fromtimestamp(at, UTC), statistic(v)) for at, v in sorted(periods.items())]


def _survives(moment: datetime, period: int, now: str) -> bool:
    age = (_instant(now) - moment).total_seconds() / 86400
    return next((period >= tier for days, tier in RETENTION if age < days), False)


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)
