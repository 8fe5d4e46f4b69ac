"""A real nginx in front keeps its connections to the server and reuses them."""

from __future__ import annotations

import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.dashboard.server import PATIENCE_SECONDS, free_port, wait_for
from tests.support.dashboard.site import Site, asked

READERS, EACH = 8, 1250
CONFIG = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    keepalive_requests 100000;
    upstream dashboard {{
        server 127.0.0.1:{behind};
        keepalive 16;
        keepalive_requests 100000;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://dashboard;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_next_upstream off;
        }}
    }}
}}
"""


@pytest.mark.systems
def test_none_of_ten_thousand_requests_breaks(tmp_path: Path) -> None:
    site, port, config = Site(tmp_path), free_port(), tmp_path / "nginx.conf"
    config.write_text(CONFIG.format(folder=tmp_path, behind=site.port, port=port))
    log = tmp_path / "error.log"
    proxy = subprocess.Popen(["nginx", "-e", log, "-c", config], stderr=subprocess.DEVNULL)

    def reader(_: int) -> Counter[int]:
        with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)) as connection:
            return Counter(asked(connection) for _ in range(EACH))

    try:
        wait_for(port, proxy, log)
        with ThreadPoolExecutor(READERS) as pool:
            found = sum(pool.map(reader, range(READERS)), Counter[int]())
    finally:
        proxy.terminate()
        proxy.wait(PATIENCE_SECONDS)
        site.stop()
    assert found == {200: READERS * EACH}
    assert log.read_text(encoding="utf-8") == ""
