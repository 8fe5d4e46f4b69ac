"""A small AWS on loopback: Cost Explorer, CloudWatch and STS, as a process of its own.

    python fake_aws.py FOLDER        prints its address; reads FOLDER/world.json at each request,
                                     appends what it was asked to FOLDER/asked.jsonl

Requests are checked against botocore's own service models. It pages with tokens that are bound to
the request, forgets thin datapoints as CloudWatch does, and refuses with AWS's documented codes.
`errors` in the world is a list of {"operation", "code", "on"}: the request number it happens on.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import parse_qs

import botocore.session
from botocore import xform_name
from botocore.validate import ParamValidator

MODELS = botocore.session.get_session()
TARGETS = {"AWSInsightsIndexService": "ce", "GraniteServiceVersion20100801": "cloudwatch"}
STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "Sum": math.fsum,
    "Maximum": max,
    "Average": fmean,
}
RETENTION = ((3 / 24, 1), (15, 60), (63, 300), (455, 3600))


class Refusal(Exception):  # noqa: N818 - what AWS calls an error code
    """A documented error."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message)
        self.code = code


class Fake:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def answer(self, service: str, operation: str, asked: dict[str, Any]) -> dict[str, Any]:
        number = self._write_down(operation, asked)
        world = json.loads((self.folder / "world.json").read_text())
        _fail(operation, number, world)
        self._check(service, operation, asked)
        answer: dict[str, Any] = getattr(self, xform_name(operation))(asked, world)
        return answer

    def _write_down(self, operation: str, asked: dict[str, Any]) -> int:
        """The how-manieth request of its operation this one is."""
        log = self.folder / "asked.jsonl"
        with log.open("a") as file:
            file.write(json.dumps({"operation": operation, "asked": asked}, default=str) + "\n")
        made = map(json.loads, log.read_text().splitlines())
        return sum(line["operation"] == operation for line in made)

    def _check(self, service: str, operation: str, asked: dict[str, Any]) -> None:
        shape = MODELS.get_service_model(service).operation_model(operation).input_shape
        assert shape
        report = ParamValidator().validate(asked, shape)
        if report.has_errors():
            raise Refusal("ValidationException", report.generate_report())

    def get_caller_identity(self, asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
        return {"Account": world["account"], "UserId": "AIDA", "Arn": "arn:aws:iam::1:user/u"}

    def assume_role(self, asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
        if asked.get("ExternalId") != world.get("external_id"):
            raise Refusal("AccessDenied", "not authorized to perform: sts:AssumeRole")
        keys = {"AccessKeyId": "ASIA", "SecretAccessKey": "s", "SessionToken": "t"}
        return {"Credentials": {**keys, "Expiration": "2099-01-01T00:00:00Z"}}

    def get_cost_and_usage(self, asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
        if len(asked.get("GroupBy", [])) > 2:
            raise Refusal("ValidationException", "at most two groups")
        first, after = asked["TimePeriod"]["Start"], asked["TimePeriod"]["End"]
        if first >= after:
            raise Refusal("ValidationException", "Start date (and hour) should be before end date")
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for charge in world["bill"]:
            if first <= charge["day"] < after and _passes(asked.get("Filter"), charge):
                keys = tuple(_group_key(group, charge) for group in asked["GroupBy"])
                groups.setdefault((charge["day"], *keys), []).append(charge)
        page, token = self._page(sorted(groups), asked, world.get("cost_page", 1000))
        days = sorted({key[0] for key in page})
        estimated = set(world.get("estimated", []))
        results = [
            {
                "TimePeriod": {"Start": day, "End": day},
                "Total": {},
                "Estimated": day[:7] in estimated,
                "Groups": [
                    {"Keys": list(key[1:]), "Metrics": _metrics(asked["Metrics"], groups[key])}
                    for key in page
                    if key[0] == day
                ],
            }
            for day in days
        ]
        return {"ResultsByTime": results} | ({"NextPageToken": token} if token else {})

    def list_metrics(self, asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
        metrics = [m for m in world["metrics"] if m["namespace"] == asked["Namespace"]]
        page, token = self._page(metrics, asked, world.get("metric_page", 500), "NextToken")
        named = [_metric(metric) for metric in page]
        return {"Metrics": named} | ({"NextToken": token} if token else {})

    def get_metric_data(self, asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
        if len(asked["MetricDataQueries"]) > 500:
            raise Refusal("ValidationError", "at most 500 queries")
        if asked.get("ScanBy") != "TimestampAscending":
            raise Refusal("ValidationError", "this fake wants them in order of time")
        points = [
            (query["Id"], moment, value)
            for query in asked["MetricDataQueries"]
            for metric in world["metrics"]
            if _metric(metric) == query["MetricStat"]["Metric"]
            for moment, value in _datapoints(metric["points"], query["MetricStat"])
            if asked["StartTime"] <= moment.timestamp() < asked["EndTime"]
            and _survives(moment, query["MetricStat"]["Period"], world["now"])
        ]
        page, token = self._page(points, asked, world.get("point_page", 100_800), "NextToken")
        state = "PartialData" if token else world.get("state", "Complete")
        results = [
            {
                "Id": query["Id"],
                "Label": query["Id"],
                "Timestamps": [moment for id_, moment, _ in page if id_ == query["Id"]],
                "Values": [value for id_, _, value in page if id_ == query["Id"]],
                "StatusCode": state,
            }
            for query in asked["MetricDataQueries"]
        ]
        return {"MetricDataResults": results} | ({"NextToken": token} if token else {})

    def _page(
        self, every: list[Any], asked: dict[str, Any], size: int, name: str = "NextPageToken"
    ) -> tuple[list[Any], str | None]:
        """A page of `every`, and the token of the next, which only the same request may use."""
        rest = {key: value for key, value in asked.items() if key != name}
        mark = hashlib.sha256(json.dumps(rest, sort_keys=True, default=str).encode()).hexdigest()
        start, _, given = asked.get(name, f"0:{mark}").partition(":")
        if given != mark:
            raise Refusal("RequestChangedException", "parameters differ between pages")
        after = int(start) + size
        return every[int(start) : after], f"{after}:{mark}" if after < len(every) else None


def _fail(operation: str, number: int, world: dict[str, Any]) -> None:
    for error in world.get("errors", []):
        if error["operation"] == operation and number in error["on"]:
            raise Refusal(error["code"], "injected")


def _passes(expression: dict[str, Any] | None, charge: dict[str, Any]) -> bool:
    if not expression:
        return True
    if "Not" in expression:
        return not _passes(expression["Not"], charge)
    dimension = expression["Dimensions"]
    if dimension["Key"] != "RECORD_TYPE":
        raise Refusal("ValidationException", "only RECORD_TYPE is known here")
    return charge["record_type"] in dimension["Values"]


def _group_key(group: dict[str, str], charge: dict[str, Any]) -> str:
    if group["Type"] == "TAG":
        return f"{group['Key']}${charge.get('tags', {}).get(group['Key'], '')}"
    return str(charge[group["Key"].lower()])


def _metrics(names: list[str], charges: list[dict[str, Any]]) -> dict[str, Any]:
    """Only single charges per group here: a sum would have to be decimal text again."""
    (charge,) = charges
    known = {name: charge[name] for name in names if name in charge}
    return {
        name: {"Amount": amount, "Unit": "N/A" if name == "UsageQuantity" else charge["unit"]}
        for name, amount in known.items()
    }


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
    of: dict[str, Callable[[list[float]], float]] = {
        "Sum": math.fsum,
        "Maximum": max,
        "Average": fmean,
    }
    statistic = of[asked["Stat"]]
    return [(datetime.fromtimestamp(at, UTC), statistic(v)) for at, v in sorted(periods.items())]


def _survives(moment: datetime, period: int, now: str) -> bool:
    age = (_instant(now) - moment).total_seconds() / 86400
    return next((period >= tier for days, tier in RETENTION if age < days), False)


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: Fake

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "X-Amz-Target" in self.headers:
            self._json(body)
        else:
            self._query(body)

    def log_message(self, *_: object) -> None:
        """Nothing: asked.jsonl is the log."""

    def _json(self, body: bytes) -> None:
        target, _, operation = self.headers["X-Amz-Target"].rpartition(".")
        kind = "application/x-amz-json-1.1"
        try:
            answer = self.fake.answer(TARGETS[target], operation, json.loads(body))
            body = json.dumps(answer, default=datetime.timestamp).encode()
            self._send(200, kind, body, ("x-amzn-RequestId", "id-1"))
        except Refusal as refusal:
            said = {"__type": refusal.code, "message": str(refusal)}
            self._send(400, kind, json.dumps(said).encode())

    def _query(self, body: bytes) -> None:
        asked = {key: values[0] for key, values in parse_qs(body.decode()).items()}
        operation = asked.pop("Action")
        asked.pop("Version")
        try:
            answer = self.fake.answer("sts", operation, asked)
            xml = f"<{operation}Response><{operation}Result>{_xml(answer)}</{operation}Result>"
            self._send(200, "text/xml", f"{xml}</{operation}Response>".encode())
        except Refusal as refusal:
            error = f"<Error><Code>{refusal.code}</Code><Message>{refusal}</Message></Error>"
            self._send(403, "text/xml", f"<ErrorResponse>{error}</ErrorResponse>".encode())

    def _send(self, status: int, kind: str, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", kind), *headers):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _xml(value: object) -> str:
    if not isinstance(value, dict):
        return str(value)
    return "".join(f"<{key}>{_xml(inner)}</{key}>" for key, inner in value.items())


if __name__ == "__main__":
    Handler.fake = Fake(Path(sys.argv[1]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
