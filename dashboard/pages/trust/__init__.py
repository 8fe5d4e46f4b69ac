"""Renders Trust: what each source last delivered, what ties to the bill, what is left out.

In: freshness, tie-out, restatements and the journal of pulls. Out: the page. METHOD §7.2
and §10.
"""
