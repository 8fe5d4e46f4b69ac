"""How long the server takes for each callback of each page, with a year of 200 workloads.

Every callback is asked over HTTP's own path in this process, as the browser asks it, with the
values that the page's controls hold, at addresses with several filters. Nothing is remembered from
one time to the next, unless `--again`. Goal: 95 of 100 answers in 50 ms.

    python -m benchmarks.serving.callbacks [--again]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from flask import Flask
from flask.testing import FlaskClient

from benchmarks.reduction import machine
from benchmarks.serving import year
from dashboard.server.app import create_app
from dashboard.server.gunicorn_server import freeze_garbage_collection
from dashboard.server.protection.request_guard import token_cookie
from dashboard.snapshot.context import EXTENSION
from models.config.loading import load

GOAL, ROUNDS = 50, 20
PATHS = (
    "/",
    "/workload/workload-07",
    "/compare",
    "/compare?by=tag_team&then=platform",
    "/compare?by=region&then=purchase_option",
    "/compare?by=workload&then=instance_type&layout=pivot",
    "/compare?by=tag_team&then=account&basis=list&from=2026-01-01&to=2026-06-30",
    "/runs",
    "/runs?where=tag_team%3Dteam-3&sort=cost:desc",
    "/runs?run=workload-07%2Frun-2026-06-07-01",
    "/clusters",
    "/clusters?from=2026-01-01&to=2026-06-30",
    "/rates",
    "/rates?period=week",
    "/rates?period=week&from=2026-01-01&to=2026-06-30",
    "/decide",
    "/trust",
    "/finance",
)
LOADS = ("_pages_content", "_pages_dummy", "_pages_store")
READS_FILES = ("source-rows", "finance-closed", "finance-message")
"""Not timed: these read delivered files or write a close; they are no interaction of a page."""


class Asked(NamedTuple):
    """One request of the browser's: what it is, and its body."""

    name: str
    body: dict[str, Any]


def main() -> None:
    """Prints each callback of each page, and the 95th percentile of all answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--folder", type=Path, default=year.FOLDER)
    parser.add_argument("--again", action="store_true", help="what was asked before")
    asked = parser.parse_args()
    app = create_app(load(year.prepare(asked.folder)))
    reader = app.server.extensions[EXTENSION].reader
    client = tab(app.server)
    freeze_garbage_collection()
    every: list[float] = []
    print(f"{machine()}\n{'':74}{'median':>8}{'p95':>8}{'kB':>8}")
    for path in PATHS:
        for request in requests(client, path):
            took = []
            for number in range(ROUNDS + 1):
                if not asked.again:
                    reader.forget()
                took.append(timed(client, request, 0 if asked.again else number))
            milliseconds = [each for each, _ in took[1:]]
            every += milliseconds
            high, size = p95(milliseconds), took[0][1] / 1000
            mark = " !" if high > GOAL else ""
            print(
                f"{request.name[:72]:74}{median(milliseconds):>8.1f}{high:>8.1f}{size:>8.1f}{mark}"
            )
    print(f"all {len(every):,} answers: p95 {p95(every):.1f} ms, goal {GOAL} ms")
    sys.exit(p95(every) > GOAL)


def p95(values: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20, method="inclusive")[-1]


def tab(server: Flask) -> FlaskClient:
    """A client that sends what a page sends: its origin, its cookies, its token."""
    client = server.test_client()
    client.get("/")
    token = client.get_cookie(token_cookie(str(server.secret_key)))
    sent = {"HTTP_ORIGIN": "http://localhost", "HTTP_X_CSRFTOKEN": token.value if token else ""}
    client.environ_base |= sent
    return client


def timed(client: Any, request: Asked, number: int) -> tuple[float, int]:  # noqa: ANN401 - of werkzeug
    """Milliseconds, and bytes as they are sent; another `number` is answered anew."""
    packed = {"Accept-Encoding": f"gzip, x{number};q=0"}
    started = time.perf_counter()
    answer = client.post("/_dash-update-component", json=request.body, headers=packed)
    took = (time.perf_counter() - started) * 1000
    if answer.status_code not in (200, 204):
        raise SystemExit(f"{request.name}: {answer.status_code} {answer.get_data(as_text=True)}")
    return took, len(answer.data)


def requests(client: Any, path: str) -> Iterator[Asked]:  # noqa: ANN401 - of werkzeug
    """The page itself, then its interactions."""
    known = client.get("/_dash-dependencies").get_json()
    opened = opening(known, path)
    yield opened
    tree = client.post(
        "/_dash-update-component", json=opened.body, headers={"Accept-Encoding": ""}
    ).get_json()["response"]
    yield from interactions(known, tree, path)


def interactions(known: list[dict[str, Any]], tree: Any, path: str) -> Iterator[Asked]:  # noqa: ANN401
    """Each callback that the components of the page call, with the values that they hold."""
    held = dict(components(tree))
    for entry in known:
        first = entry["output"].strip(".").split("...")[0].rsplit(".", 1)[0]
        if entry.get("clientside_function") or first.startswith((*LOADS, *READS_FILES)):
            continue
        parts = entry["inputs"] + entry["state"]
        if all(spelled(part["id"]) in held for part in parts) and entry["inputs"]:
            yield Asked(f"{path} → {first}", body(entry, held))


def opening(known: list[dict[str, Any]], path: str) -> Asked:
    """Going to the page by a link of another one."""
    (entry,) = (each for each in known if "_pages_content" in each["output"])
    name, _, search = path.partition("?")
    place = {"pathname": name, "search": f"?{search}" if search else ""}
    held = {part["id"]: place for part in entry["inputs"] + entry["state"]}
    return Asked(path, body(entry, held))


def body(entry: dict[str, Any], held: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What Dash's renderer would send."""
    inputs, state = ([filled(part, held) for part in entry[kind]] for kind in ("inputs", "state"))
    for part in inputs:
        if part["property"] == "getRowsRequest":
            part["value"] = {"startRow": 0, "endRow": 100, "sortModel": []}
    outputs = [
        dict(
            zip(
                ("id", "property"),
                (read(each.rsplit(".", 1)[0]), each.rsplit(".", 1)[1]),
                strict=True,
            )
        )
        for each in entry["output"].strip(".").split("...")
    ]
    several = entry["output"].startswith("..")
    changed = [f"{entry['inputs'][0]['id']}.{entry['inputs'][0]['property']}"]
    return {
        "output": entry["output"],
        "outputs": outputs if several else outputs[0],
        "inputs": inputs,
        "changedPropIds": changed,
        "state": state,
    }


def filled(part: dict[str, Any], held: dict[str, dict[str, Any]]) -> dict[str, Any]:
    props = held.get(spelled(part["id"]), {})
    return {
        "id": read(part["id"]),
        "property": part["property"],
        "value": props.get(part["property"]),
    }


def read(identity: str) -> Any:  # noqa: ANN401 - text or a dictionary
    return json.loads(identity) if identity.startswith("{") else identity


def spelled(identity: Any) -> str:  # noqa: ANN401 - text or a dictionary
    found = read(identity) if isinstance(identity, str) else identity
    return json.dumps(found, sort_keys=True) if isinstance(found, dict) else str(found)


def components(tree: Any) -> Iterator[tuple[str, dict[str, Any]]]:  # noqa: ANN401 - JSON
    """The id and the properties of each component that has one."""
    if isinstance(tree, dict):
        props = tree.get("props", {})
        if isinstance(props, dict) and props.get("id"):
            yield spelled(props["id"]), props
        for value in tree.values():
            yield from components(value)
    elif isinstance(tree, list):
        for each in tree:
            yield from components(each)


if __name__ == "__main__":
    main()
