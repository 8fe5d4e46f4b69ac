"""What all packages share: columns and types of every table, errors, exact money, and dates.

In: nothing. Out: the types, constants and small functions that every other package imports.
Chapter: METHOD §1 (words), §2.3 (exact money), and the rules that several chapters share.
"""
