"""The page of marts: each mart's docstring, and the tables that it is made from.

Columns, their units and meanings are written on the page itself; a test holds them against the
contract. What stands between the two remarks at the end of each section is written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from dashboard.api.catalogue import about_mart
from documentation.headings import headings, slug
from documentation.reference.markdown import FOLDER, ROOT
from models.contract.schema import DELIVERED, MARTS
from models.engine.lineage.origins import Origin, origins

PAGE = FOLDER / "marts.md"
BEGIN, END = "<!-- from the code: make reference -->", "<!-- end -->"
BLOCK = re.compile(rf"\n{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
NUMBER = re.compile(r"§(\d+(?:\.\d+)?)")


def marts() -> str:
    """Returns the page of marts with what the code says of each."""
    bare = BLOCK.sub("", PAGE.read_text(encoding="utf-8"))
    introduction, *sections = bare.split("\n## ")
    return "\n\n## ".join([introduction.rstrip(), *map(_with_block, sections)]) + "\n"


def _with_block(section: str) -> str:
    return f"{section.rstrip()}\n{_block(section.partition(chr(10))[0])}"


def _block(mart: str) -> str:
    declared, origin = about_mart(mart), origins()[mart]
    lines = [
        f"- A row is: {declared.grain}.",
        f"- Units: {declared.units}.",
        f"- Null: {declared.nulls}.",
        f"- Method {_linked(declared.method)}; made by [{origin.file}](../../{origin.file}); "
        f"a row is about {_whose(declared.whose)}.",
    ]
    return "\n".join(["", BEGIN, *lines, "", "```text", *_drawn(mart), "```", END])


def _whose(whose: str) -> str:
    return {"company": "the company"}.get(whose, f"a {whose}")


def _linked(sections: str) -> str:
    """Returns sections of the method as links: `[§2.6](../method/2-cost.md#26-attribution)`."""
    return NUMBER.sub(lambda match: f"[{match[0]}](../method/{_places()[match[1]]})", sections)


@cache
def _places() -> dict[str, str]:
    """Maps each METHOD section number to its page and anchor."""
    places = {}
    for page in sorted((ROOT / "docs" / "method").glob("*.md")):
        for title in headings(page):
            if match := re.match(r"(\d+(?:\.\d+)?)\.? ", title):
                places[match[1]] = f"{page.name}#{slug(title)}"
    return places


def _drawn(mart: str) -> Iterator[str]:
    """Yields the lines of a text tree of published and delivered tables behind a mart."""
    yield mart
    yield from _below(mart, "", {mart})


def _below(name: str, indent: str, drawn: set[str]) -> Iterator[str]:
    reads = sorted(_published_inputs(name), key=[*MARTS, *DELIVERED, "config"].index)
    for read in reads:
        last = read == reads[-1]
        again = read in drawn and read in MARTS
        yield f"{indent}{'└─ ' if last else '├─ '}{read}{' (above)' if again else ''}"
        if not again:
            drawn.add(read)
            yield from _below(read, indent + ("   " if last else "│  "), drawn)


def _published_inputs(name: str) -> set[str]:
    """Returns the published or delivered tables that a mart is made from, skipping inner steps."""
    known, found, seen = origins(), set[str](), {name}
    due = list(known[name].reads) if name in known else []
    while due:
        read = due.pop()
        if read in MARTS or read in DELIVERED:
            found.add(read)
        elif read not in seen and read in known:
            seen.add(read)
            due += known[read].reads
            found |= {"config"} if _is_config(known[read]) else set()
    return found


def _is_config(origin: Origin) -> bool:
    return origin.name.startswith("config_")
