"""Makes the documentation: the pages of the reference from the code, and the site from all pages.

In come `docs/`, the code and the config's model; out go `docs/reference/*.md` (`make reference`)
and `build/site/` (`make docs`). No package of the product imports it. See docs/contributing.md.
"""
