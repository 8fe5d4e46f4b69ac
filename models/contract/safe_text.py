"""Makes text safe to print: credentials in URLs hidden, control characters escaped."""

from __future__ import annotations

import re

HIDDEN = "…"
CREDENTIALS = re.compile(r"(?<=://)[^\s/?#]*@")
"""User and password of a URL, up to the last `@` before its path."""
SECRET = r"password|passwd|secret|token|credential|signature|api_?key"
IN_QUERY = re.compile(rf"([?&][\w.-]*(?:{SECRET})[\w.-]*=)[^\s&#]+", re.IGNORECASE)
"""A secret in the query of a URL, as of a pre-signed one."""
LINE_ENDS = "\u0085\u2028\u2029"


def without_credentials(text: str) -> str:
    """Returns a text with user, password and secret parameters of every URL in it hidden."""
    return IN_QUERY.sub(rf"\1{HIDDEN}", CREDENTIALS.sub(f"{HIDDEN}@", text))


def on_one_line(text: str) -> str:
    """Returns a text with control characters and line ends escaped, so that it cannot forge a line.

    A line feed becomes the two characters `\\n`, as Python writes it.
    """
    return "".join(_escaped(sign) if _is_control(sign) else sign for sign in text)


def _is_control(sign: str) -> bool:
    return ord(sign) < 32 or 127 <= ord(sign) < 160 or sign in LINE_ENDS


def _escaped(sign: str) -> str:
    return repr(sign)[1:-1] if repr(sign)[1:-1] != sign else f"\\u{ord(sign):04x}"
