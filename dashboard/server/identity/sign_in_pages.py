"""The pages of signing in that need no identity: one heading, one sentence, one way on."""

from __future__ import annotations

from flask import Response, render_template_string

TEMPLATE = """<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{ title }} · breakeven</title>
    <link rel="stylesheet" href="/assets/app.css">
    <style>
      @font-face {
        font-family: "Inter Variable"; font-weight: 100 900; font-display: swap;
        src: url("/assets/inter-latin.woff2") format("woff2");
      }
    </style>
  </head>
  <body>
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
    </main>
  </body>
</html>
"""


def sign_in_page(
    title: str, sentence: str, label: str = "", action: str = "", status: int = 200
) -> Response:
    """Renders a page with one button: a link, or the form that signs out."""
    text = render_template_string(
        TEMPLATE, title=title, sentence=sentence, label=label, action=action
    )
    return Response(text, status, mimetype="text/html")
