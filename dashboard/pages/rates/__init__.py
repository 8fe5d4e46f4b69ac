"""Renders Rates: what an accelerator-hour cost, how hours were bought, what is on offer.

In: accelerator spend per day, price history, Spot prices and offers. Out: the page. METHOD §2.
"""
