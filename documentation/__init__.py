"""Makes the documentation: the pages of the reference from the code, and the site from all pages.

In: `docs/`, the code and the config's model. Out: `docs/reference/*.md` (`make reference`) and
`build/site/` (`make docs`). No package of the product imports it. See docs/contributing.md.
"""
