"""Records of closed months: the statement, its columns, and the files that hold it for ever.

Input: the rows of a statement, who closed it and when. Output: files under `closes/` that are
written once and read back whole. Chapter: METHOD §7.
"""
