"""Which mart is made first: the one that the longest chain of others waits for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.engine.mart_runner import Task, most_urgent_first, needed


def tasks(reads: dict[str, set[str]]) -> dict[str, Task]:
    return {name: Task(lambda _: None, frozenset(read)) for name, read in reads.items()}


def test_the_longest_chain_of_readers_counts_and_not_their_number() -> None:
    """`deep` has a chain of two behind it, `wide` three readers at once; `seed` is no task."""
    wide = {name: {"wide"} for name in ("w1", "w2", "w3")}
    chain = {"end": {"middle"}, "middle": {"deep", "seed"}, "deep": {"seed"}}
    found = most_urgent_first(tasks({**wide, "wide": set(), **chain}))
    assert list(found) == ["deep", "wide", "middle", "w1", "w2", "w3", "end"]


@given(st.lists(st.sets(st.integers(0, 9)), max_size=10))
def test_every_task_comes_after_what_it_reads(drawn: list[set[int]]) -> None:
    """Drawn without cycles: each reads only those drawn before it; then they are turned round."""
    reads = {str(n): {str(m) for m in read if m < n} for n, read in enumerate(drawn)}
    made = list(most_urgent_first(tasks(dict(reversed(reads.items())))))
    assert sorted(made) == sorted(reads)
    assert all(made.index(read) < made.index(name) for name in made for read in reads[name])


def test_what_a_table_needs_is_what_it_is_made_from_and_no_more() -> None:
    chain = tasks({"seed": set(), "end": {"second"}, "aside": {"first"}, "other": {"end"}})
    chain["step"] = Task(lambda _: None, frozenset({"seed", "delivered"}), ("first", "second"))
    assert needed(chain, ["end"]) == {"end", "step", "seed"}
    assert needed(chain, ["first"]) == {"step", "seed"}
    assert needed(chain, ["delivered"]) == set()
    made = list(most_urgent_first(chain))
    assert made.index("step") < made.index("end")
