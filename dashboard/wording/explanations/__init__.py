"""Lists the explanations of all numbers on pages; each page's are in a file of their own.

In: nothing. Out: `Explanation` objects, which a page opens beside a number (`widgets.explain`) and
the Source page finds by their key in the address. Each explanation puts the
formula of a chapter of METHOD (§2 to §7) in words.
"""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.wording.explanations import (
    clusters,
    compare,
    decide,
    finance,
    overview,
    rates,
    runs,
    savings,
    trust,
    workload,
)
from dashboard.wording.explanations.explanation import Explanation

PAGES = (
    savings, overview, workload, compare, runs, clusters, rates, decide, finance, trust,
)  # fmt: skip
EVERY = tuple(of for page in PAGES for of in vars(page).values() if isinstance(of, Explanation))
EXPLAINED: Mapping[str, Explanation] = {of.key: of for of in EVERY}
"""Every explanation by the key that an address gives it (`/source/<key>`)."""
