"""The OpenAPI document is valid and true: no answer is other than it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from models.contract import schema
from tests.dashboard.api.conftest import Api

FEW = "/(runs|snapshot|workloads|statements)"


def test_the_document_is_openapi_3_1_and_names_every_mart(api: Api) -> None:
    from openapi_spec_validator import validate  # a second, which most processes need not spend

    document = api.get("openapi.json").json()
    validate(document)
    assert document["openapi"].startswith("3.1")
    marts = {path.removeprefix("/api/v1/marts/") for path in document["paths"]}
    assert set(schema.MARTS) <= marts
    row = document["components"]["schemas"]["runs_row"]["properties"]
    assert list(row) == list(schema.expanded(schema.MARTS["runs"], ("team",)))
    assert row["cost"]["anyOf"][0] == {"type": "string", "pattern": r"^-?\d+\.\d{2,9}$"}


def test_the_page_that_shows_it_loads_nothing_from_elsewhere(api: Api) -> None:
    page = api.get("docs")
    assert page.status_code == 200
    loaded = re.findall(r'(?:src|href)="([^:"]+)"', page.text)
    assert len(loaded) == 4
    for address in loaded:
        answer = api.get(address)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith(("text/css", "text/javascript"))
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert not re.search(r"<script(?! src)|<style|onclick", page.text)


def fuzzed(api: Api, folder: Path, *options: str) -> None:
    """Runs schemathesis; its cursors would be none of ours, which 400 says rightly."""
    document: dict[str, Any] = api.get("openapi.json").json()
    names = {"name": "atlas-7b", "month": "2026-09"}
    for path in document["paths"].values():
        operation = path["get"]
        given = [each for each in operation.get("parameters", ()) if each["name"] != "cursor"]
        operation["parameters"] = given
        for each in given:
            if each["name"] in names:
                each["example"] = names[each["name"]]
    file = folder / "openapi.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    line = ["-m", "schemathesis.cli", "run", str(file), "--url", api.server.url, "--no-color"]
    phases = ["--phases", "examples,coverage,fuzzing", "--generation-deterministic"]
    done = subprocess.run(
        [sys.executable, *line, *phases, *options], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert "Traceback" not in api.server.logged()


def test_schemathesis_finds_nothing_wrong(api: Api, tmp_path: Path) -> None:
    fuzzed(api, tmp_path, "--max-examples", "5", "--include-path-regex", FEW)


@pytest.mark.systems
def test_schemathesis_finds_nothing_wrong_with_any_mart(api: Api, tmp_path: Path) -> None:
    fuzzed(api, tmp_path, "--max-examples", "30")
