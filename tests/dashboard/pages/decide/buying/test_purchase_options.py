"""The ways to buy an hour, from hand-made prices: what each costs beside its price."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from dashboard.pages.decide.buying.assumptions import PurchaseAssumptions
from dashboard.pages.decide.buying.machine import NO_FACTS, MachineFacts, machine_facts
from dashboard.pages.decide.buying.purchase_options import PurchaseOption, purchase_options
from dashboard.pages.decide.buying.wording import cheapest_sentence, hidden_costs

D = Decimal
AS_OF = date(2026, 10, 31)


def price(option: str, usd: str, since: date, until: date | None = None) -> dict[str, Any]:
    return {"purchase_option": option, "usd_per_hour": D(usd), "since": since, "until": until}


def rate(plan: str, years: int, usd: str) -> dict[str, Any]:
    return {"plan": plan, "years": years, "usd_per_hour": D(usd), "observed_on": AS_OF}


def lost(spot: bool, own: bool, cost: str, part: str, runs: int, lineages: int) -> dict[str, Any]:
    return {
        "spot": spot, "own": own, "cost": D(cost), "lost": D(part), "runs": runs,
        "lineages": lineages,
    }  # fmt: skip


def company() -> MachineFacts:
    """Spot at $10 for 28 of the last 84 days and at $7 since; 80 of 100 committed dollars used."""
    return machine_facts(
        [
            price("on_demand", "30", date(2025, 1, 1), date(2026, 6, 1)),
            price("on_demand", "20", date(2026, 6, 1)),
            price("spot", "10", date(2026, 1, 1), date(2026, 9, 6)),
            price("spot", "7", date(2026, 9, 6)),
        ],
        [
            rate("Compute, 1 yr, No Upfront", 1, "14"),
            rate("Standard reserved, 1 yr, No Upfront", 1, "15"),
            rate("Standard reserved, 3 yr, All Upfront", 3, "9"),
        ],
        [{"purchase_option": "committed", "used": D(80), "idle": D(20)}],
        D("0.4"),
        [lost(False, True, "1000", "100", 5, 5), lost(False, False, "9000", "0", 9, 9),
         lost(True, False, "1000", "400", 8, 3)],
        D(100),
        AS_OF,
    )  # fmt: skip


def by_name(found: list[PurchaseOption]) -> dict[str, PurchaseOption]:
    return {way.name: way for way in found}


def test_each_way_costs_what_an_hour_of_progress_costs() -> None:
    found = by_name(purchase_options(company(), PurchaseAssumptions()))
    assert {name: way.price for name, way in found.items()} == {
        "on_demand": D(20),
        "1 yr": D(14),
        "3 yr": D(9),
        "spot": D(8),  # (28 × 10 + 56 × 7) ÷ 84
        "capacity_block": None,
    }
    hours = {name: way.productive and round(way.productive, 6) for name, way in found.items()}
    assert hours == {
        "on_demand": D("22.222222"),  # 20 ÷ 0.9: the workload's own runs off Spot lost a tenth
        "1 yr": D("19.444444"),  # 14 ÷ 0.8 ÷ 0.9
        "3 yr": D("12.5"),
        "spot": D("13.333333"),  # 8 ÷ 0.6: others' runs, for it has none of its own
        "capacity_block": None,
    }
    assert found["3 yr"].month == D(1125)  # 100 h, of which 90 make progress
    assert (found["1 yr"].even, found["3 yr"].even) == (D("0.7"), D("0.45"))
    assert found["3 yr"].bound == D(9) * 8760 * 3
    assert found["spot"].even == D("0.64")  # 1 − 8 ÷ 20 × 0.9
    assert found["spot"].range == (D(7), D(10))


def test_another_use_or_pace_is_the_readers() -> None:
    found = by_name(
        purchase_options(company(), PurchaseAssumptions.parse({"used": "40", "hours": "1,000"}))
    )
    assert found["3 yr"].productive == D(25)
    assert found["3 yr"].month == D(22500)
    told = hidden_costs(found["3 yr"], company())
    assert told[1] == "Break-even: 45\u00a0% of the paid hours must be used (not reached)."
    assert "used that little, it loses money however long you stay" in told[2]
    assert "is useless after a move to another family" in told[2]
    assert "covers other EC2 families" in hidden_costs(found["1 yr"], company())[2]


def test_a_commitment_pays_from_the_month_in_which_its_used_hours_cost_more_on_demand() -> None:
    """36 months at $9 an hour are 20.25 months of 80 % of the hours at $20."""
    found = by_name(purchase_options(company(), PurchaseAssumptions()))["3 yr"]
    (*_, told) = hidden_costs(found, company())
    assert "used or not; it loses money if you stop before month 20.3 of 36. " in told
    (*_, told) = hidden_costs(replace(found, used=None), company())
    assert "; used in full, it loses money if you stop before month 16.2 of 36. " in told
    (*_, told) = hidden_costs(replace(found, even=D(1)), company())
    assert "for one instance, used or not. A reservation" in told


def test_what_nobody_told_is_unknown_and_says_what_would_tell_it() -> None:
    found = purchase_options(NO_FACTS, PurchaseAssumptions())
    assert all(way.productive is None and way.month is None for way in found)
    assert cheapest_sentence("p5.48xlarge", found) == (
        "No price per productive hour on p5.48xlarge is known."
    )
    told = {way.name: hidden_costs(way, NO_FACTS)[0] for way in found}
    sources = {
        "1 yr": "price_list", "3 yr": "savings_plans", "spot": "spot_prices",
        "capacity_block": "capacity",
    }  # fmt: skip
    assert [name for name, source in sources.items() if source not in told[name]] == []
    ended = [price("spot", "7", date(2026, 1, 1), date(2026, 9, 6))]  # stale: no price any more
    stale = machine_facts(ended, [], [], None, [], None, AS_OF)
    assert by_name(purchase_options(stale, PurchaseAssumptions()))["spot"].price is None


def test_losses_are_unknown_where_no_run_has_a_settled_day_of_known_cost() -> None:
    found = by_name(purchase_options(replace(company(), lost={}), PurchaseAssumptions()))
    for name, kind in (("on_demand", "outside Spot"), ("spot", "on Spot")):
        assert hidden_costs(found[name], company())[1] == (
            f"No run {kind} has settled days of known cost on this hardware, so its losses are "
            "unknown."
        )


def test_the_least_hour_is_named_with_what_it_rests_on() -> None:
    assert cheapest_sentence("p5", purchase_options(company(), PurchaseAssumptions())) == (
        "A productive hour on p5 costs least with a 3-year commitment of which 80\u00a0% "
        "is used: $12.50; on Spot $13.33, with a 1-year commitment of which 80\u00a0% is used "
        "$19.44, on demand $22.22. Unknown: Capacity Block."
    )
