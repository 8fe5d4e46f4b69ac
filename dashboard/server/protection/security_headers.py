"""Adds headers that limit what a page may do in a browser, and who may cache a response."""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from hashlib import sha256

import dash
from flask import Response, request
from secure import (
    CacheControl,
    ContentSecurityPolicy,
    ReferrerPolicy,
    Secure,
    StrictTransportSecurity,
    XContentTypeOptions,
)

from dashboard.api.address import is_api
from dashboard.server.document import SCRIPT

ASSETS = ("/assets/", "/_dash-component-suites/")
"""Files of the program, the same for everybody, which browsers may cache."""
YEAR_SECONDS = 365 * 24 * 3600
SELF, NONE, UNSAFE_INLINE = "'self'", "'none'", "'unsafe-inline'"


def add_security_headers(app: dash.Dash) -> None:
    """Makes an app send security headers; must be called before the response cache is added."""
    policy = Secure(
        xcto=XContentTypeOptions().nosniff(), referrer=ReferrerPolicy().same_origin()
    ).headers
    unkept = Secure(cache=CacheControl().no_store()).headers
    checked = Secure(cache=CacheControl().private().no_cache()).headers
    encrypted = Secure(hsts=StrictTransportSecurity().max_age(YEAR_SECONDS)).headers

    def add_headers(response: Response) -> Response:
        response.headers.update(policy)
        response.headers.update(content_policy(*app.csp_hashes()))
        if not request.path.startswith(ASSETS):
            response.headers.update(checked if is_api(request.path) else unkept)
        if "https" in (request.scheme, request.headers.get("X-Forwarded-Proto")):
            response.headers.update(encrypted)
        return response

    app.server.after_request(add_headers)


@lru_cache(1)
def content_policy(*hashes: str) -> dict[str, str]:
    """Returns the header Content-Security-Policy: this site's scripts, inline ones by hash.

    Plotly and the grid write styles into the page, so inline styles are allowed.
    """
    own = f"'sha256-{b64encode(sha256(SCRIPT.encode()).digest()).decode()}'"
    csp = (
        ContentSecurityPolicy()
        .default_src(SELF)
        .script_src(SELF, own, *hashes)
        .style_src(SELF, UNSAFE_INLINE)
        .img_src(SELF, "data:", "blob:")
        .font_src(SELF, "data:")
        .object_src(NONE)
        .base_uri(NONE)
        .form_action(SELF)
        .frame_ancestors(NONE)
    )
    return dict(Secure(csp=csp).headers)
