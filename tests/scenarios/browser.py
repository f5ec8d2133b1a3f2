"""Somebody who looks at the website of a real game, without a picture."""

import re
from http.cookiejar import CookieJar
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from tests.scenarios.game import SUPERUSER

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


class Browser:
    """Somebody who is logged in on the website."""

    def __init__(self, game):
        self._base = f"http://127.0.0.1:{game.settings['WEBSERVER_PORTS'][0][0]}"
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))
        login = self.opens("/ai/")
        self.sends("/auth/login/", login, username=SUPERUSER[0], password=SUPERUSER[1])

    def opens(self, address):
        """Return what a page says."""
        with self._opener.open(f"{self._base}{address}") as answer:
            return answer.read().decode()

    def sends(self, address, page, **values):
        """Send a form of a page; return what is shown then."""
        whole = urlencode({**values, "csrfmiddlewaretoken": TOKEN.search(page)[1]})
        with self._opener.open(f"{self._base}{address}", whole.encode()) as answer:
            return answer.read().decode()
