"""The page of errors: text, cause and remedy of each, by class."""

from __future__ import annotations

from collections.abc import Iterator

from documentation.reference.markdown import code, first_sentence, page, table, words
from documentation.reference.raised_errors import CLASSES, USAGE, Raised, raised_errors

INTRODUCTION = """\
A command that cannot do what it should prints one line and ends with exit code 1: what is wrong,
the value, and in brackets what to do. `doctor`, the log, the journal of pulls and the API show
the same lines. Values that differ stand in angle brackets here; where the product chooses between
words, a slash is between them. Secrets, and credentials in URLs, are never shown."""


def errors() -> str:
    """Returns the page of all errors."""
    meanings = {kind: first_sentence(each) for kind, each in CLASSES.items()}
    meanings[USAGE[0]] = (
        "The options of a command contradict each other: exit code 2, and the usage."
    )
    parts = [part for kind, meaning in meanings.items() for part in _section(kind, meaning)]
    return page("Errors", [INTRODUCTION], *parts)


def _section(kind: str, meaning: str) -> Iterator[list[str]]:
    found = [each for each in raised_errors() if each.kind == kind]
    if found:
        yield [f"## {kind}"]
        yield [meaning]
        yield table(("text", "cause", "remedy"), map(_row, _merged(found)))


def _merged(found: list[Raised]) -> list[Raised]:
    """Returns one error per text; values and remedies of errors of the same text are joined."""
    by_text: dict[str, list[Raised]] = {}
    for each in found:
        by_text.setdefault(each.text, []).append(each)
    return [
        first._replace(
            value=_beside(*(e.value for e in same)), remedy=_beside(*(e.remedy for e in same))
        )
        for same in by_text.values()
        for first in same[:1]
    ]


def _beside(*texts: str) -> str:
    return " / ".join(dict.fromkeys(text for text in texts if text))


def _row(error: Raised) -> tuple[str, str, str]:
    value = f": {error.value}" if error.value else ""
    cause = words("error_causes").get(error.text, "")
    return code(f"{error.text}{value}"), cause, _advice(error.remedy)


def _advice(remedy: str) -> str:
    """Returns a remedy as Markdown text, with angle brackets and asterisks escaped."""
    return remedy.replace("<", "&lt;").replace(">", "&gt;").replace("*", r"\*")
