from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

from tests.browser.conftest import Site


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
