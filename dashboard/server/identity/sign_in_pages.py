"""Renders the pages of signing in and out: a heading, a sentence and a button."""

from __future__ import annotations

from flask import Response, render_template_string

from dashboard.server.plain_page import plain_page

TEMPLATE = plain_page(
    """
    <main class="sign-in">
      <p class="brand"><i class="logo"></i>breakeven</p>
      <h1>{{ title }}</h1>
      <p>{{ sentence[:1] | upper }}{{ sentence[1:] }}</p>
      {% if action == "/sign-out" %}
      <form method="post" action="/sign-out">
        <input type="hidden" name="csrf_token" value="{{ csrf_token() }}">
        <button class="action">{{ label }}</button>
      </form>
      {% elif action %}
      <p><a class="action" href="{{ action }}">{{ label }}</a></p>
      {% endif %}
    </main>"""
)


def sign_in_page(
    title: str, sentence: str, label: str = "", action: str = "", status: int = 200
) -> Response:
    """Renders a page of a heading, a sentence and at most one button: a link, or to sign out."""
    text = render_template_string(
        TEMPLATE, title=title, sentence=sentence, label=label, action=action
    )
    return Response(text, status, mimetype="text/html")
