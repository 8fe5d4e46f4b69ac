"""Builds the HTML document of the dashboard, which the browser shows before scripts run."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

ASSETS = Path(__file__).parent.parent / "assets"
PLOTLY = "plotly-basic.min.js"
FONT = "inter-latin.woff2"

ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M0 16 16 0H0z' "
    "fill='#2f7fc4'/><path d='M0 16 16 0v16z' fill='#d9621c'/></svg>"
)

SCRIPT = """
      (function () {
        var scheme = localStorage.getItem("scheme");
        if (scheme) document.documentElement.dataset.scheme = scheme;
        var url = document.getElementById("plotly-basic").href;
        Object.defineProperty(window, "_dashPlotlyJSURL", {get: () => url, set: () => {}});
      })();
    """
"""Runs before the first paint. Its hash is in the Content-Security-Policy.

`dcc.Graph` loads plotly from `_dashPlotlyJSURL` when it first draws, and Dash points that at the
full bundle (4.8 MB). The property keeps it on the basic one (1.2 MB), which has all that the
figures use.
"""

TEMPLATE = """<!DOCTYPE html>
<html lang="en">
  <head>
    {%metas%}
    <title>{%title%}</title>
    <link rel="icon" href="data:image/svg+xml,ICON">
    <link rel="preload" href="/assets/FONT" as="font" type="font/woff2" crossorigin>
    <link rel="preload" href="/assets/PLOTLY" as="script" id="plotly-basic">
    <link rel="preload" href="/_dash-layout" as="fetch" crossorigin>
    <link rel="preload" href="/_dash-dependencies" as="fetch" crossorigin>
    <link rel="preload" href="/_dash-component-suites/dash/dcc/async-graph.js" as="script">
    <script>SCRIPT</script>
    <style>
      @font-face {
        font-family: "Inter Variable"; font-weight: 100 900; font-display: swap;
        src: url("/assets/FONT") format("woff2");
      }
    </style>
    {%css%}
  </head>
  <body>
    {%app_entry%}
    <div hidden>
      {%config%}
      {%scripts%}
      {%renderer%}
    </div>
  </body>
</html>
"""
"""What it preloads arrives while the scripts still run: the basic plotly, and what Dash's
renderer asks for once it runs."""


def index(assets: Path) -> str:
    """Returns the dashboard's HTML template, with a digest in the URLs of Plotly and the font."""
    filled = TEMPLATE.replace("ICON", quote(ICON)).replace("SCRIPT", SCRIPT)
    for placeholder, name in (("PLOTLY", PLOTLY), ("FONT", FONT)):
        filled = filled.replace(f"/assets/{placeholder}", address_of(assets / name))
    return filled


def address_of(asset: Path) -> str:
    """Returns an asset's URL with a digest, so that no browser shows a cached older version."""
    digest = sha256(asset.read_bytes()).hexdigest()[:12]
    return f"/assets/{asset.name}?m={digest}"
