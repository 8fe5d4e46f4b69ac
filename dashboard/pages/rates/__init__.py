"""Rates: what did an accelerator-hour cost, how were hours bought, what is on offer?

In: accelerator spend per day, price history, Spot prices and offers. Out: the page. METHOD §2.
"""
