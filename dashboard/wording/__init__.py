"""Words: how numbers and dates are written, what things are called, sentences pages share.

In: values and rows. Out: text, and the colours of the hardware. A page's own sentences are in
its folder's `wording.py`. Chapter: docs/architecture.md; the words are those of METHOD §1.
"""
