"""Fetches bills: files of data exports (FOCUS, CUR 2.0), or answers of Cost Explorer.

In: a folder or bucket, or Cost Explorer's API. Out: batches of the bill's lines, unchanged.
`models.formats.bill` says what they mean: METHOD §2.
"""
