"""The documentation that ships with the product, as the dashboard serves it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from flask import Flask
from flask.testing import FlaskClient

from dashboard.server import documentation
from dashboard.server.documentation import add_documentation


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    server = Flask("documentation")
    add_documentation(server)
    return server.test_client()


def test_every_link_and_anchor_of_every_page_leads_somewhere(client: FlaskClient) -> None:
    due, done, anchors = ["/docs/README.md"], dict[str, set[str]](), set[tuple[str, str]]()
    while due:
        path = due.pop()
        if path in done:
            continue
        with client.get(path) as answer:
            assert answer.status_code == 200, path
            text = answer.get_data(as_text=True) if path.endswith(".md") else ""
        done[path] = set(re.findall(r' id="([^"]+)"', text))
        for href in re.findall(r'(?:href|src)="([^"]+)"', text):
            target, anchor = urldefrag(urljoin(path, unescape(href)))
            if target.startswith(("/docs/", "/deploy/")):
                due.append(target)
                anchors |= {(target, anchor)} if anchor else set()
    assert {"/docs/schedulers.md", "/docs/method/2-cost.md", "/deploy/iam-policy.json"} <= set(done)
    assert "/docs/pictures/overview-light.png" in done
    assert [each for each in anchors if each[1] not in done[each[0]]] == []


def test_a_page_has_its_heading_for_title_and_its_text_is_no_markup(client: FlaskClient) -> None:
    text = client.get("/docs/schedulers.md").get_data(as_text=True)
    assert "<title>Who held which machine: schedulers · breakeven</title>" in text
    assert '<h2 id="slurm">' in text
    assert "<table>" in text


def test_a_page_asks_for_the_styles_of_its_own_version(client: FlaskClient) -> None:
    text = client.get("/docs/schedulers.md").get_data(as_text=True)
    named = re.findall(r'"/assets/([^"?]+)(\?m=[0-9a-f]{12})?"', text)
    assert [name for name, _ in named] == ["app.css", "documentation.css", "inter-latin.woff2"]
    assert all(digest for _, digest in named)


@pytest.mark.parametrize(
    "path",
    [
        *("/docs/nothing.md", "/docs/../pyproject.toml", "/docs/%2e%2e/README.md"),
        "/docs/api.ipynb",
        *("/deploy/", "/deploy/slurm", "/deploy/../data/prices.csv", "/deploy/..%2fLICENSE"),
    ],
)  # fmt: skip
def test_nothing_else_is_served(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("iam-policy.json", 200),
        ("kubernetes/base/breakeven.toml", 404),
        ("terraform/terraform.tfvars.json", 404),
        ("secret.yaml", 404),
        ("tls/certificates/privkey.pem", 404),
        ("terraform/terraform.tfstate", 404),
        ("terraform/our.tfvars", 404),
        (".env", 404),
    ],
)
def test_what_else_lies_among_the_files_for_deployment_is_not_served(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, status: int
) -> None:
    file = tmp_path / "deploy" / name
    file.parent.mkdir(parents=True)
    file.write_text("secret")
    monkeypatch.setattr(documentation, "shipped", tmp_path.joinpath)
    assert client.get(f"/deploy/{name}").status_code == status


def test_the_folder_leads_to_its_first_page(client: FlaskClient) -> None:
    answer = client.get("/docs/", follow_redirects=True)
    assert (answer.status_code, answer.request.path) == (200, "/docs/README.md")
