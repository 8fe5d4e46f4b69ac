"""A server on loopback that answers GraphQL as W&B does, of runs that a test logs.

A history of which more steps fit than `samples` comes back as a sample, as W&B's does: only who
asks for narrow enough ranges sees it whole. `sampledHistory` includes `maxStep`, `history` does
not. Figures that are not numbers are told as texts.
"""

# ruff: noqa: N802, N803, N815 - named as in W&B's schema
from __future__ import annotations

import base64
import http.server
import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphql import GraphQLSchema, build_schema, graphql_sync

SCHEMA: GraphQLSchema = build_schema((Path(__file__).parent / "schema.graphql").read_text())
KEY = "local-0123456789abcdef0123456789abcdef01234567"
BEATS = itertools.count()
Row = dict[str, Any]


@dataclass
class LoggedRun:
    """A run, and what it logged."""

    name: str
    displayName: str
    createdAt: str
    config: str = "{}"
    tags: list[str] = field(default_factory=list)
    state: str = "running"
    heartbeatAt: str | None = None
    rows: list[Row] = field(default_factory=list)
    sampled: list[Row] = field(default_factory=list)
    """The specs by which its history was asked for."""
    readOnly: bool = False

    def log(self, moment: str, step: int | None = None, /, **values: object) -> None:
        """Logs values at a time (UTC), as the next step unless one is given; the next row."""
        self.log_at(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp(), step, values)

    def log_at(self, seconds: object, step: int | None, values: Row) -> None:
        """Logs values with anything as their time."""
        at = step if step is not None else self.rows[-1]["_step"] + 1 if self.rows else 0
        self.rows.append({"_step": at, "_timestamp": seconds, **values})
        self.heartbeatAt = f"2025-10-31T00:00:00.{next(BEATS):06}Z"

    @property
    def id(self) -> str:
        return self.name

    @property
    def projectId(self) -> int:
        return 7

    @property
    def user(self) -> Row:
        return {"name": "Ada", "username": "ada"}

    @property
    def historyLineCount(self) -> int:
        return len(self.rows)

    @property
    def historyKeys(self) -> Row | None:
        """How many values of which type it logged of each metric, and its newest step."""
        if not self.rows:
            return None
        keys: dict[str, dict[str, int]] = {}
        for key, value in (pair for row in self.rows for pair in row.items()):
            counts = keys.setdefault(key, {})
            kind = "number" if isinstance(value, int | float) else type(value).__name__
            counts[kind] = counts.get(kind, 0) + 1
        told = {
            key: {
                "typeCounts": [{"type": kind, "count": n} for kind, n in counts.items()],
                "previousValue": _told(next(row[key] for row in self.rows[::-1] if key in row)),
            }
            for key, counts in keys.items()
        }
        return {"keys": told, "lastStep": self.rows[-1]["_step"], "sets": []}

    def sampledHistory(self, _info: object, specs: list[str]) -> list[list[Row]]:
        return [self._sample(json.loads(spec)) for spec in specs]

    def _sample(self, spec: Row) -> list[Row]:
        self.sampled.append(spec)
        first, last = spec.get("minStep", 0), spec.get("maxStep", math.inf)
        found = [
            {key: _told(row[key]) for key in spec["keys"]}
            for row in self.rows
            if first <= row["_step"] <= last and all(key in row for key in spec["keys"])
        ]
        return found[:: math.ceil(len(found) / spec["samples"])] if found else []

    def history(
        self,
        _info: object,
        minStep: int = 0,
        maxStep: float = math.inf,
        samples: int = 500,
    ) -> list[str]:
        found = [row for row in self.rows if minStep <= row["_step"] < maxStep]
        return [json.dumps({k: _told(v) for k, v in row.items()}) for row in found[:samples]]

    def parquetHistory(self, _info: object, liveKeys: list[str]) -> Row:
        live = [{key: row[key] for key in liveKeys} for row in self.rows]
        return {"parquetUrls": [], "liveData": live}


def _told(value: object) -> object:
    """A value as W&B tells it: JSON has no number that is none."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


@dataclass
class WandBServer:
    """One entity and its projects. `refuse` has what answers a request in its place."""

    entity: str = "team"
    key: str = KEY
    projects: dict[str, list[LoggedRun]] = field(default_factory=dict)
    refuse: list[tuple[int, dict[str, str], str] | None] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """The queries that came."""
    errors: list[str] = field(default_factory=list)
    """What was wrong with them."""
    url: str = ""

    def fail_after(self, answered: int, failure: tuple[int, dict[str, str], str]) -> None:
        """Answers so many requests to come, and fails the next."""
        self.refuse = [*[None] * answered, failure]

    def run(
        self, project: str, name: str, began: str, /, *tags: str, **config: object
    ) -> LoggedRun:
        """Begins a run."""
        runs = self.projects.setdefault(project, [])
        told = {key: {"value": value, "desc": None} for key, value in config.items()}
        told["_wandb"] = {"value": {"cli_version": "0.31.0", "t": {"1": [1, 5]}}}
        run = LoggedRun(f"id{len(runs)}", name, f"{began}Z", json.dumps(told), list(tags))
        runs.append(run)
        return run

    def answer(self, authorization: str | None, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer to a request."""
        if self.refuse and (refusal := self.refuse.pop(0)):
            status, headers, text = refusal
            return status, headers, text.encode()
        expected = base64.b64encode(f"api:{self.key}".encode()).decode()
        if authorization != f"Basic {expected}":
            return 401, {}, b'{"errors":[{"message":"user is not logged in"}]}'
        asked = json.loads(body)
        self.asked.append(asked["query"])
        found = graphql_sync(SCHEMA, asked["query"], self, variable_values=asked.get("variables"))
        self.errors += [error.message for error in found.errors or ()]
        return (400 if found.errors else 200), {}, json.dumps(found.formatted).encode()

    def viewer(self, _info: object) -> Row:
        teams = {"edges": [{"node": {"id": "e", "name": self.entity}}]}
        return {"id": "u", "username": "ada", "entity": self.entity, "flags": "{}", "teams": teams}

    def serverInfo(self, _info: object) -> Row:
        return {"features": []}

    def models(
        self,
        _info: object,
        entityName: str,
        first: int = 50,
        after: str | None = None,
    ) -> Row:
        names = sorted(self.projects) if entityName == self.entity else []
        return _page([self._project(name) for name in names], first, after)

    def project(self, _info: object, name: str, entityName: str) -> Row | None:
        here = entityName == self.entity and name in self.projects
        return self._project(name) if here else None

    def _project(self, name: str) -> Row:
        runs = self.projects[name]

        def listed(
            _info: object, first: int = 50, after: str | None = None, **_order: object
        ) -> Row:
            return _page(sorted(runs, key=lambda run: run.createdAt), first, after)

        def named(_info: object, name: str) -> LoggedRun | None:
            return next((run for run in runs if run.name == name), None)

        about: Row = {"id": "p", "internalId": "7", "name": name, "entityName": self.entity}
        about |= {"createdAt": "2025-01-01T00:00:00Z", "isBenchmark": False, "readOnly": False}
        count: Callable[..., int] = lambda _info, **_: len(runs)  # noqa: E731
        return {**about, "runCount": count, "runs": listed, "run": named}


def _page(nodes: list[Any], first: int, after: str | None) -> Row:
    begin = int(after) + 1 if after else 0
    edges = [
        {"node": node, "cursor": f"{at}"}
        for at, node in enumerate(nodes[begin : begin + first], begin)
    ]
    more = begin + first < len(nodes)
    end = edges[-1]["cursor"] if edges else None
    return {"edges": edges, "pageInfo": {"endCursor": end, "hasNextPage": more}}


class AnsweringServer(http.server.ThreadingHTTPServer):
    """Serves a `WandBServer` on loopback."""

    def __init__(self, wandb: WandBServer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.wandb = wandb
        wandb.url = f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers `POST /graphql`."""

    server: AnsweringServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        here = self.path == "/graphql"
        refused: tuple[int, dict[str, str], bytes] = 404, {}, b"page not found"
        answer = self.server.wandb.answer(self.headers["Authorization"], body) if here else refused
        status, headers, said = answer
        self.send_response(status)
        for name, value in (headers | {"Content-Length": f"{len(said)}"}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Says nothing."""
