"""Queries W&B by the GraphQL that its own client sends; failures are one readable line.

Not through that client: `wandb` brings 60 MB, starts a process beside ours and writes folders, for
three queries. A run's history is asked for by keys, as `Run.scan_history` does: an answer has each
step whose row has all of them, or a sample where those are more than asked for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ingest.servers.json_server import JsonServer, session
from ingest.servers.secret_file import secret
from ingest.sources.progress.wandb.api_key import key_in_netrc
from ingest.sources.progress.wandb.pages import Page
from models.contract.errors import SourceError

PAGE = 50
"""Projects or runs on a page, as W&B's client asks for."""
ORDER = "+created_at"
REMEDIES = {
    401: "put the API key into `token_file`, or run `wandb login`",
    403: "let the user of this API key see the project",
    404: "correct `location`: it is the address that WANDB_BASE_URL has",
    429: "W&B limits its requests: pull again later, and less often",
}
PROJECTS = """
query Projects($entity: String!, $cursor: String, $perPage: Int!) {
  models(entityName: $entity, after: $cursor, first: $perPage) {
    edges { node { name } cursor }
    pageInfo { hasNextPage }
  }
}"""
RUNS = """
query Runs($entity: String!, $project: String!, $cursor: String, $perPage: Int!, $order: String) {
  project(name: $project, entityName: $entity) {
    runs(after: $cursor, first: $perPage, order: $order) {
      edges {
        node { name displayName state createdAt heartbeatAt config tags historyKeys }
        cursor
      }
      pageInfo { hasNextPage }
    }
  }
}"""
HISTORY = """
query History($entity: String!, $project: String!, $run: String!, $specs: [JSONString!]!) {
  project(name: $project, entityName: $entity) {
    run(name: $run) { sampledHistory(specs: $specs) }
  }
}"""
Document = dict[str, Any]


@dataclass(frozen=True)
class GraphQL:
    """Reads projects, runs and histories of one entity from a W&B server."""

    location: str
    entity: str
    token_file: Path | None = None

    def projects(self) -> list[str]:
        """Lists the names of the entity's projects that the key sees."""
        nodes = self._nodes("projects", PROJECTS, ("models",)) or ()
        return [node["name"] for node in nodes if isinstance(node.get("name"), str)]

    def runs(self, project: str) -> list[Document] | None:
        """Lists a project's runs that are not deleted, oldest first; None for no such project."""
        return self._nodes("runs", RUNS, ("project", "runs"), project=project, order=ORDER)

    def histories(
        self, project: str, run: str, specs: Sequence[Document]
    ) -> list[list[Document]] | None:
        """Returns a list of rows per spec of W&B's `sampledHistory`; None if the run is gone."""
        texts = [json.dumps(spec) for spec in specs]
        asked = {"project": project, "run": run, "specs": texts}
        found = _member(self._ask("history", HISTORY, asked), "project", "run")
        if not found:
            return None
        series = _member(found, "sampledHistory")
        if not isinstance(series, list) or [type(rows) for rows in series] != [list] * len(texts):
            raise self.refused("history", f"answered {series!r:.80}")
        return [[row for row in rows if isinstance(row, dict)] for rows in series]

    def refused(self, what: str, value: str) -> SourceError:
        """Makes a `SourceError` that says what W&B refused, with the server's own words."""
        return self._server.refused(what, value)

    def _nodes(
        self, what: str, query: str, path: tuple[str, ...], **variables: object
    ) -> list[Document] | None:
        """Returns the items on all pages of a W&B list; None where there is no such list."""
        found: list[Document] = []
        cursor: str | None = None
        seen: set[str] = set()
        while True:
            asked = {**variables, "cursor": cursor, "perPage": PAGE}
            answer = _member(self._ask(what, query, asked), *path)
            if answer is None:
                return None
            page = self._page(what, answer)
            found += (edge.node for edge in page.edges or ())
            cursor = self._server.next_page(what, page.next_cursor, seen)
            if not cursor:
                return found

    def _page(self, what: str, answer: object) -> Page:
        """Parses one page of a list from W&B's answer. Raises `SourceError` if it is none."""
        try:
            return Page.model_validate(answer)
        except ValidationError:
            raise self._server.refused(what, f"answered {answer!r:.80}") from None

    def _ask(self, what: str, query: str, variables: Document) -> Document:
        """Sends one GraphQL query; returns its data. Raises `SourceError` with W&B's own words."""
        body = {"query": query, "variables": {"entity": self.entity, **variables}}
        answer = self._server.request("POST", "/graphql", what, json=body)
        if answer.get("errors"):
            errors = answer["errors"]
            first = errors[0] if isinstance(errors, list) else errors
            message = first.get("message") if isinstance(first, dict) else first
            raise self._server.refused(what, f"{message}"[:200], REMEDIES[403])
        if not isinstance(answer.get("data"), dict):
            raise self._server.refused(what, f"answered {answer!r:.80}", REMEDIES[404])
        return dict(answer["data"])

    @cached_property
    def _server(self) -> JsonServer:
        made = session()
        key = secret(self.token_file) if self.token_file else key_in_netrc(self.location)
        made.auth = ("api", key) if key else None
        return JsonServer("W&B", self.location, REMEDIES, made)


def _member(held: object, *path: str) -> object:
    """Returns the value at a path of keys in a JSON document; None if there is none."""
    for member in path:
        held = held.get(member) if isinstance(held, dict) else None
    return held
