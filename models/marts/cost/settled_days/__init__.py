"""How far the bill of each billing account can be trusted ("settled" and "final" of METHOD §1).

In: the days on which the bill has charges, and the accounts and closed months of the config. Out:
the last settled day of each billing account, and which months AWS has invoiced.
"""
