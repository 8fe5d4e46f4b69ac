"""What a close keeps for ever: the statement of a month, its columns, and the file that holds it.

In: the rows of a statement, who closed it and when. Out: files under `closes/` that are written
once and read back whole. Chapter: METHOD §7.
"""
