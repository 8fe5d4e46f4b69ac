"""Serves the pages of documentation and deployment files that ship with the product.

So a page that says where to read on leads there, also where the product was installed as a wheel
and without a way out of the company's network.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from flask import Flask, Response, redirect, render_template_string, send_from_directory
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from dashboard.server.plain_page import plain_page
from models.contract.shipped_data import shipped

DOCS, DEPLOY = "docs", "deploy"
FIRST = "README.md"
SERVED = (".md", ".png")
DEPLOYED = ("iam-policy.json", "slurm/breakeven_slurm.py")
"""Files of `deploy/` that pages link to; in others a company writes its config and secrets."""
TEMPLATE = plain_page(
    """
    <header class="top">
      <a class="brand" href="/"><i class="logo"></i>breakeven</a>
      <nav aria-label="Pages"><a href="/docs/README.md">Documentation</a></nav>
    </header>
    <main class="documentation">{{ text }}</main>""",
    "documentation.css",
)


def add_documentation(server: Flask) -> None:
    """Registers `/docs/<page>.md` as pages, their pictures, and `/deploy/<file>` as text."""
    server.add_url_rule("/docs/", "docs", lambda: redirect(f"/docs/{FIRST}"))
    server.add_url_rule("/docs/<path:name>", "docs_page", page)
    server.add_url_rule("/deploy/<path:name>", "deploy_file", deploy_file)


def page(name: str) -> AnyResponse:
    """Serves a page of the documentation as HTML, or one of its pictures; 404 for all else."""
    if not name.endswith(".md"):
        return _picture(name)
    file = _file(DOCS, name)
    tokens = MarkdownIt("commonmark").enable("table").parse(file.read_text(encoding="utf-8"))
    title = _with_anchors(tokens)
    for token in tokens:
        _without_dead_links(token, PurePosixPath(DOCS, name).parent)
    text = Markup(MarkdownIt("commonmark").renderer.render(tokens, MarkdownIt().options, {}))
    return Response(render_template_string(TEMPLATE, title=title, text=text), mimetype="text/html")


def deploy_file(name: str) -> AnyResponse:
    """Serves one of two deployment files that pages link to, as plain text; 404 for all else."""
    if name not in DEPLOYED:
        raise NotFound
    file = _file(DEPLOY, name)
    return Response(file.read_text(encoding="utf-8"), mimetype="text/plain")


def _picture(name: str) -> AnyResponse:
    if not name.endswith(".png"):
        raise NotFound
    return send_from_directory(shipped(DOCS), name)


def _file(folder: str, name: str) -> Path:
    """Returns a shipped file below a folder. Raises `NotFound`, also for what is outside of it."""
    root = shipped(folder)
    try:
        file = (root / name).resolve(strict=True)
    except (OSError, ValueError):  # too long, or with a null character
        raise NotFound from None
    if not file.is_relative_to(root) or not file.is_file():
        raise NotFound
    return file


def _with_anchors(tokens: list[Token]) -> str:
    """Gives each heading token an anchor id as code hosts do; returns the first heading's text."""
    title = ""
    for token, text in pairwise(tokens):
        if token.type == "heading_open":
            title = title or text.content
            anchor = re.sub(r"[^\w\- ]", "", text.content.lower()).replace(" ", "-")
            token.attrSet("id", anchor)
    return title or FIRST


def _without_dead_links(token: Token, folder: PurePosixPath) -> None:
    """Turns links of a token to files that are not served, such as source code, into plain text."""
    open_ = []
    for part in token.children or ():
        if part.type == "link_open":
            open_.append(_is_served(str(part.attrs["href"]), folder))
            if not open_[-1]:
                part.tag, part.attrs = "span", {}
        elif part.type == "link_close" and not open_.pop():
            part.tag = "span"


def _is_served(href: str, folder: PurePosixPath) -> bool:
    """Returns whether a link of a page works: within it, to another site, or to a served file."""
    parts = urlsplit(href)
    if parts.scheme or not parts.path:
        return True
    file = shipped(str(folder / parts.path)).resolve()
    if file.is_relative_to(shipped(DOCS)):
        return file.suffix in SERVED and file.is_file()
    return file.is_file() and file in {shipped(f"{DEPLOY}/{name}") for name in DEPLOYED}
