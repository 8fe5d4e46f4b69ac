from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

from tests.browser.conftest import Site
from tests.support.dashboard import world


def status(url: str) -> int:
    with urlopen(url, timeout=20) as answer:
        found: int = answer.status
        return found


def test_the_first_requests_may_come_all_at_once(site: Site, own_site: Callable[[], Site]) -> None:
    with urlopen(site.url) as answer:
        scripts = re.findall(r'<script src="([^"]+)"', answer.read().decode())
    cold = own_site()
    with ThreadPoolExecutor(32) as pool:
        found = set(pool.map(status, [cold.url + path for path in scripts] * 4))
    assert found == {200}


def test_health_is_answered_over_the_wire(own_site: Callable[[], Site]) -> None:
    site = own_site()
    world.publish(site.folder)
    with urlopen(f"{site.url}/healthz") as answer:
        assert json.load(answer)["settled_through"] == "2026-10-28"
