"""Stores closed months permanently: the statement, its columns, and its files.

Input: the rows of a statement, who closed it and when. Output: files under `closes/` that are
written once and read back whole. Chapter: METHOD §7.
"""
