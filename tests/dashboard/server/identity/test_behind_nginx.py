"""A real nginx in front names people: what a browser sends itself names nobody."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
import requests

from tests.support.dashboard.server import PATIENCE_SECONDS, PLAIN, free_port, served, wait_for

pytestmark = pytest.mark.systems
ACCESS = """
auth = {mode = "proxy", trusted_proxies = ["127.0.0.1"]}
access = [{user = "fay", role = "finance"}, {user = "boss", role = "admin"}]
"""
CONFIG = """
daemon off;
user root;
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
    server {{
        listen 127.0.0.1:{port};
        location / {{
            auth_basic "people";
            auth_basic_user_file {folder}/people;
            proxy_set_header X-Forwarded-User $remote_user;
            proxy_set_header X-Forwarded-Groups "";
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header Host $http_host;
            proxy_pass http://127.0.0.1:{behind};
        }}
    }}
}}
"""


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of nginx, which knows fay."""
    folder, port = tmp_path_factory.mktemp("front"), free_port()
    (folder / "people").write_text("fay:{PLAIN}secret\n")
    with served(folder, ACCESS + PLAIN) as behind:
        config, log = folder / "nginx.conf", folder / "error.log"
        config.write_text(CONFIG.format(folder=folder, behind=behind.port, port=port))
        proxy = subprocess.Popen(["nginx", "-e", log, "-c", config], stderr=subprocess.DEVNULL)
        try:
            wait_for(port, proxy, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            proxy.terminate()
            proxy.wait(PATIENCE_SECONDS)


def test_who_the_proxy_names_is_who_acts(front: str) -> None:
    fay = {"auth": ("fay", "secret"), "timeout": PATIENCE_SECONDS}
    forged = {"X-Forwarded-User": "boss", "x-forwarded-user": "boss", "X_Forwarded_User": "boss"}
    for headers in ({}, forged):
        layout = requests.get(f"{front}/_dash-layout", headers=headers, **fay)
        assert layout.status_code == 200
        assert '"fay"' in layout.text
        assert "boss" not in layout.text
    assert requests.get(f"{front}/_dash-layout", timeout=PATIENCE_SECONDS).status_code == 401
