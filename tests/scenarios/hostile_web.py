"""What a builder tries on a mind by the web: Evennia's REST API, and Django's pages for staff."""

import base64
import http.cookiejar
import json
import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser
from typing import NamedTuple

SECONDS = 30.0
OPEN = "control:all();edit:all();examine:all();delete:all()"
HER, HERS, PERSON = (
    "objects/objectdb/{npc}",
    "scripts/scriptdb/{script}",
    "objects/objectdb/{person}",
)


class Call(NamedTuple):
    """A request to the REST API; `{attr}` stands for each Attribute of ours on the NPC."""

    name: str
    method: str
    path: str
    data: dict | None = None


class Submit(NamedTuple):
    """A page for staff that is read and, changed by `fields`, sent back.

    A field that begins with "*" stands for all that end so.
    """

    name: str
    page: str
    fields: dict | None = None


CALLS = (
    Call("objects listed", "GET", "objects/"),
    Call("searched by Tags", "GET", "scripts/?db_tags__db_category=evennia_ai_pulse"),
    Call("her read", "GET", "objects/{npc}/"),
    Call("her read as a character", "GET", "characters/{npc}/"),
    Call("the person read", "GET", "objects/{person}/"),
    Call("her key", "PATCH", "objects/{npc}/", {"db_key": "x"}),
    Call("all of her", "PUT", "objects/{npc}/", {"db_key": "x", "db_typeclass_path": "x"}),
    Call("her Attributes", "PUT", "objects/{npc}/set_attribute/", {"db_key": "{attr}"}),
    Call("her persona", "POST", "objects/{npc}/set_attribute/", {"db_key": "ai_persona"}),
    Call(
        "the person's Attributes", "PUT", "objects/{person}/set_attribute/", {"db_key": "identity"}
    ),
    Call("her deleted", "DELETE", "objects/{npc}/"),
    Call("the person deleted", "DELETE", "objects/{person}/"),
    Call("scripts listed", "GET", "scripts/"),
    Call("her mind read", "GET", "scripts/{script}/"),
    Call("her mind's key", "PATCH", "scripts/{script}/", {"db_key": "x"}),
    Call("her mind's Attributes", "PUT", "scripts/{script}/set_attribute/", {"db_key": "goals"}),
    Call("her mind deleted", "DELETE", "scripts/{script}/"),
    Call("accounts listed", "GET", "accounts/"),
    Call("an account read", "GET", "accounts/1/"),
)
SUBMITS = (
    Submit("the list of objects", "objects/objectdb/"),
    Submit("her page", f"{HER}/change/"),
    Submit("her history", f"{HER}/history/"),
    Submit("the page of her mind", f"{HERS}/change/"),
    Submit("the page of the person", f"{PERSON}/change/"),
    Submit("her page saved", f"{HER}/change/", {}),
    Submit("the page of the person saved", f"{PERSON}/change/", {}),
    Submit("the page of her mind saved", f"{HERS}/change/", {}),
    Submit("her locks", f"{HER}/change/", {"db_lock_storage": OPEN}),
    Submit("her typeclass", f"{HER}/change/", {"db_typeclass_path": "typeclasses.objects.Object"}),
    Submit("the locks of her mind", f"{HERS}/change/", {"db_lock_storage": OPEN}),
    Submit("another body for her mind", f"{HERS}/change/", {"db_obj": "1"}),
    Submit("her Attributes", f"{HER}/change/", {"*-attr_value": "'x'"}),
    Submit("her Attributes away", f"{HER}/change/", {"*-DELETE": "on"}),
    Submit("the person's Attributes", f"{PERSON}/change/", {"*-attr_value": "'x'"}),
    Submit("the person's Attributes away", f"{PERSON}/change/", {"*-DELETE": "on"}),
    Submit("the Attributes of her mind", f"{HERS}/change/", {"*-attr_value": "'x'"}),
    Submit("the Attributes and Tags of her mind away", f"{HERS}/change/", {"*-DELETE": "on"}),
    Submit("the list of Tags", "typeclasses/tag/"),
    Submit("a Tag of ours", "typeclasses/tag/{tag}/change/", {"db_key": "3"}),
    Submit("a Tag of ours away", "typeclasses/tag/{tag}/delete/", {"post": "yes"}),
    Submit(
        "several at once",
        "scripts/scriptdb/",
        {"action": "delete_selected", "_selected_action": "{script}", "post": "yes"},
    ),
    Submit("her mind away", f"{HERS}/delete/", {"post": "yes"}),
    Submit("her away", f"{HER}/delete/", {"post": "yes"}),
)


class Web:
    """Somebody who is staff on the web pages of a game."""

    def __init__(self, port, name, password):
        self._base = f"http://127.0.0.1:{port}"
        self._name, self._password = name, password
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self._cookies)
        )

    def call(self, call, **numbers):
        """Ask the REST API; return what was sent and what came back."""
        path, data = _filled(call.path, numbers), _filled(call.data, numbers)
        login = base64.b64encode(f"{self._name}:{self._password}".encode()).decode()
        headers = {"Authorization": f"Basic {login}", "Content-Type": "application/json"}
        body = json.dumps(data).encode() if data is not None else None
        asked = urllib.request.Request(
            f"{self._base}/api/{path}", data=body, headers=headers, method=call.method
        )
        # Without the cookies of the other pages.
        return [f"{call.method} {path} {data}"], self._answer(urllib.request.build_opener(), asked)

    def enter(self):
        """Log in for the pages."""
        who = {"username": self._name, "password": self._password}
        return self.submit(Submit("log in", "login/", who))

    def submit(self, submit, **numbers):
        """Read a page and send it back changed; return what was sent and all that came back."""
        path, fields = _filled(submit.page, numbers), _filled(submit.fields, numbers)
        url = f"{self._base}/admin/{path}"
        shown = self._answer(self._opener, urllib.request.Request(url))
        if fields is None:
            return [path], shown
        form = _Form()
        form.feed(shown)
        sent = {**form.fields, **_chosen(fields, form.fields), "csrfmiddlewaretoken": self._token()}
        asked = urllib.request.Request(
            url, data=urllib.parse.urlencode(sent).encode(), headers={"Referer": url}
        )
        return [path, f"{fields}"], f"{shown}\n{self._answer(self._opener, asked)}"

    def _token(self):
        return next((one.value for one in self._cookies if one.name == "csrftoken"), "")

    def _answer(self, opener, asked):
        try:
            with opener.open(asked, timeout=SECONDS) as answer:
                return f"{answer.status}\n{answer.read().decode('utf-8', 'replace')}"
        except urllib.error.HTTPError as error:
            return f"{error.code}\n{error.read().decode('utf-8', 'replace')}"


class _Form(HTMLParser):
    """The fields of a page as a browser would send them, without what is not ticked."""

    def __init__(self):
        super().__init__()
        self.fields = {}
        self._area = self._choice = ""

    def handle_starttag(self, tag, attrs):
        """Take in a field."""
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "textarea":
            self._area = name
            self.fields[name] = ""
        elif tag == "select":
            self._choice = name
        elif tag == "option" and self._choice and "selected" in given:
            self.fields[self._choice] = given.get("value", "")
        elif tag == "input" and name and given.get("type") not in ("submit", "checkbox"):
            self.fields[name] = given.get("value") or ""
        elif tag == "input" and name and "checked" in given:
            self.fields[name] = "on"

    def handle_endtag(self, tag):
        """Leave a field."""
        self._area = "" if tag == "textarea" else self._area
        self._choice = "" if tag == "select" else self._choice

    def handle_data(self, data):
        """Take in what stands in a field."""
        if self._area:
            # A browser drops the line break right after the tag.
            self.fields[self._area] += data.removeprefix("\r\n").removeprefix("\n")


def _chosen(wanted, there):
    sent = {}
    for name, value in wanted.items():
        if not name.startswith("*"):
            sent[name] = value
        elif name.endswith("DELETE"):
            rows = [one.removesuffix("-id") for one in there if one.endswith("-id") and there[one]]
            sent.update({f"{row}-DELETE": value for row in rows})
        else:
            sent.update({one: value for one in there if one.endswith(name[1:])})
    return sent


def _filled(given, numbers):
    if isinstance(given, dict):
        return {key: _filled(value, numbers) for key, value in given.items()}
    if not isinstance(given, str):
        return given
    for name, number in numbers.items():
        given = given.replace(f"{{{name}}}", f"{number}")
    return given
