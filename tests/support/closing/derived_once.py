"""Drafts of several months from one derivation, while nothing that they are made from changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256

import pytest

from models.closing import draft
from models.closing.derivation import STATEMENT_TABLES, derived
from models.closing.monthly_statement import Ask
from models.config.settings import Settings
from models.raw.delivery import Delivery
from tests.support.world import one_core

TABLES = (*STATEMENT_TABLES, "monthly_summary")
"""What tests ask besides."""


@contextmanager
def derived_once() -> Iterator[list[Ask]]:
    """Inside, a draft derives the marts only for a config, deliveries or closes not seen before.

    Yields what the derivations so far are asked with, the newest last.
    """
    known: dict[str, Ask] = {}
    made: list[Ask] = []
    with ExitStack() as open_ones:

        @contextmanager
        def once(
            settings: Settings, every: Sequence[Delivery], live: Sequence[Delivery]
        ) -> Iterator[Ask]:
            key = _key(settings, every, live)
            if key not in known:
                with one_core():
                    known[key] = open_ones.enter_context(derived(settings, every, live, TABLES))
                made.append(known[key])
            yield known[key]

        with pytest.MonkeyPatch.context() as here:
            here.setattr(draft, "derived", once)
            yield made


def _key(settings: Settings, every: Sequence[Delivery], live: Sequence[Delivery]) -> str:
    """Names all that a derivation is made from."""
    closes = sorted((settings.data / "closes").glob("*/*.json"))
    files = [(path.parent.name, path.name, path.read_bytes()) for path in closes]
    return sha256(repr((settings, every, live, files)).encode()).hexdigest()
