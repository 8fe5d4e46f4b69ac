"""Defines how pages write numbers, dates and names, and the sentences that they share.

In: values and rows. Out: text, and the colours of the hardware. A page's own sentences are in
its folder's `wording.py`. Chapter: docs/architecture.md; the words are those of METHOD §1.
"""
