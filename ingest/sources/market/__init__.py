"""Fetches prices and capacity: price files, list and Spot prices, Savings Plans, reservations.

In: price files and answers of AWS's free APIs about billed instance types. Out: batches of their
items. `models.formats.market` says what they mean: METHOD §2.5 and §2.7.
"""
