"""Builds the HTML template of pages that need no script: of signing in and documentation."""

from __future__ import annotations

from dashboard.server.document import ASSETS, FONT, address_of


def plain_page(body: str, *styles: str) -> str:
    """Returns a Jinja template of a page in the product's look around a body; it takes a `title`.

    `styles` name further style sheets among the assets.
    """
    sheets = "".join(
        f'\n    <link rel="stylesheet" href="{address_of(ASSETS / name)}">'
        for name in ("app.css", *styles)
    )
    return f"""<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{{{ title }}}} · breakeven</title>{sheets}
    <style>
      @font-face {{
        font-family: "Inter Variable"; font-weight: 100 900; font-display: swap;
        src: url("{address_of(ASSETS / FONT)}") format("woff2");
      }}
    </style>
  </head>
  <body>{body}
  </body>
</html>
"""
