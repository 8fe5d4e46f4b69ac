"""Determines up to which day each account's bill is complete ("settled", "final" of METHOD §1).

In: the days on which the bill has charges, and the accounts and closed months of the config. Out:
the last settled day of each billing account, and which months AWS has invoiced.
"""
