"""Reads prices and capacity: public prices, Spot, Savings Plans, reservations, Capacity Blocks.

In: lines of price files, and items of AWS's API answers as JSON text. Out: rows of `prices`
(dollars per instance-hour, with the day a price took effect) and of `capacity`. The rules are
METHOD §2.5 (a missing price is unknown, never zero) and §2.7 (Capacity Blocks).
"""

from __future__ import annotations

from models.formats.format import Format
from models.formats.market import capacity, price_list, prices, savings_plans, spot_prices

FORMATS: tuple[Format, ...] = (prices, price_list, spot_prices, savings_plans, capacity)
