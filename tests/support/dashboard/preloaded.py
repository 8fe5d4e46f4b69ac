"""Imports what a server needs, and exempts it from garbage collection: forked servers share it.

Else each server walks all of it once before it serves, and so copies it.
"""

import gc

import pandas  # noqa: F401

import breakeven  # noqa: F401
import dashboard.server.gunicorn_server  # noqa: F401

gc.collect()
gc.freeze()
