"""METHOD §6.7: the portfolio's state and its days, of its workloads and of no workload, by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

from models.contract.portfolio import PORTFOLIO
from models.marts.savings.portfolio_daily import portfolio_days
from models.marts.savings.portfolio_state import with_portfolio_state
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

MONEY = "decimal(38, 9)"
W = {"workload": "w"}


def day(number: int) -> date:
    return date(2026, 9, number)


STATE = {
    "workload": "string", "cutover": "date", "parity": "string",
    **dict.fromkeys(("has_trn", "none_compare", "never_on_gpu", "has_baseline", "must_verify",
                     "unpriced", "none_priced"), "boolean"),
}  # fmt: skip


def state(*workloads: dict[str, object]) -> tuple[Any, ...]:
    """Of the portfolio: what a workload is not said to be is true if it has Trainium work."""
    given = [
        {"workload": str(number), "has_trn": True, "none_compare": True, "never_on_gpu": True,
         "has_baseline": False, "must_verify": True, "unpriced": False, "none_priced": True,
         "parity": "parity"} | said
        for number, said in enumerate(workloads)
    ]  # fmt: skip
    made = applied(with_portfolio_state, table(STATE, *given))
    names = ("none_compare", "never_on_gpu", "has_baseline", "must_verify", "unpriced", "cutover",
             "parity", "none_priced")  # fmt: skip
    found = {name: values for name, *values in rows(made, "workload", *names)}
    assert len(found) == len(given) + 1
    return tuple(found[PORTFOLIO])


def test_the_portfolio_is_barred_where_every_workload_on_trainium_is() -> None:
    gpu = {"has_trn": False, "none_compare": False, "never_on_gpu": False, "must_verify": False,
           "has_baseline": True, "none_priced": False}  # fmt: skip
    other = {"none_compare": False, "never_on_gpu": False, "has_baseline": True,
             "must_verify": False, "unpriced": True, "none_priced": False,
             "cutover": day(3)}  # fmt: skip
    alone, both = state({"cutover": day(5)}, gpu), state({"cutover": day(5)}, other)
    assert alone == (True, True, False, True, False, day(5), None, True)
    assert both == (False, False, True, False, True, day(3), None, False)
    assert state({}, {"unpriced": True} | gpu)[4] is True


OWN = ("epochs", "credited_epochs", "trn_cost")
SAVINGS = ("counterfactual", "gross_saving", "saving_at_list", "counterfactual_at_list",
           "saving_at_old_volume")  # fmt: skip
OUTGOINGS = ("overhead", "investment", "upkeep", "cluster_idle")
AMOUNT = {"workload": "string", "date": "date", "kind": "string", "amount": MONEY}
TABLES = {
    "own": {"workload": "string", "date": "date", "settled": "boolean",
            **dict.fromkeys((*OWN, *SAVINGS, *OUTGOINGS, "net_saving"), MONEY)},
    "kinds": {"workload": "string", "main": "boolean", "unit": "string"},
    "commitments": AMOUNT,
    "pool_idle": AMOUNT,
    "silent_payers": {"settled_through": "date"},
    "investment_daily": AMOUNT,
    "upkeep_daily": {"workload": "string", "date": "date", "upkeep": MONEY},
    "workload_state": {"workload": "string", "settled_through": "date", "cutover": "date",
                       "barred": "boolean", "has_trn": "boolean"},
    "settled_accounts": {"settled_through": "date"},
}  # fmt: skip
MOVED = {"settled_through": day(20), "cutover": day(10), "barred": False, "has_trn": True}


def own(number: int, **said: object) -> dict[str, Any]:
    """A settled day of a workload: each column of another amount."""
    known = {name: 2**place for place, name in enumerate((*OWN, *SAVINGS, *OUTGOINGS))}
    return W | {"date": day(number), "settled": True} | known | said


def portfolio(*names: str, **given: list[dict[str, Any]]) -> dict[int, tuple[Any, ...]]:
    """Columns by day of September."""
    usual = {
        "kinds": [W | {"main": True, "unit": "epoch"}],
        "workload_state": [W | MOVED],
        "settled_accounts": [{"settled_through": day(25)}],
    }
    tables = usual | given
    made = applied(portfolio_days, *(table(TABLES[name], *tables.get(name, [])) for name in TABLES))
    return {at.day: tuple(values) for at, *values in rows(made, "date", *names)}


def test_the_portfolio_sums_what_its_workloads_saved_and_spent() -> None:
    both = [own(11), own(11, workload="x"), own(12)]
    names = (*OWN, *SAVINGS, *OUTGOINGS, "net_saving", "settled", "workload")
    one = [2**place for place in range(len(OWN + SAVINGS + OUTGOINGS))]
    assert portfolio(*names, own=both) == {
        11: (*(2 * amount for amount in one), 2 * (16 - 256), True, PORTFOLIO),
        12: (*one, 16 - 256, True, PORTFOLIO),
    }


def test_work_counts_as_far_as_it_is_settled_and_after_the_portfolios_end() -> None:
    late = {"settled": False}
    days = [own(11), own(11, workload="x", **late), own(20, **late), own(21, **late)]
    assert portfolio("credited_epochs", "trn_cost", "settled", own=days) == {
        11: (2, 4, True),
        20: (0, 0, True),
        21: (2, 4, False),
    }
    found = portfolio("gross_saving", "net_saving", "overhead", "upkeep", "cluster_idle",
                      "investment", own=[own(20), own(21)])  # fmt: skip
    assert found == {20: (16, 16 - 256, 256, 1024, 2048, 512), 21: (None,) * 5 + (512,)}


def test_an_amount_that_one_workload_does_not_know_is_unknown_of_all() -> None:
    names = ("gross_saving", "net_saving", "saving_at_list", "counterfactual_at_list",
             "saving_at_old_volume", "overhead", "investment", "trn_cost")  # fmt: skip
    usual = (32, 2 * (16 - 256), 64, 128, 256, 512, 1024, 8)
    for nothing, lost in (
        ({"saving_at_list": None}, {2, 3}),
        ({"saving_at_old_volume": None}, {4}),
        ({"overhead": None}, {1, 5}),
        ({"investment": None}, {6}),
        ({"trn_cost": None}, {7}),
        ({"trn_cost": None, "settled": False}, set()),
        ({"saving_at_list": None, "saving_at_old_volume": None, "gross_saving": None}, set()),
        ({"overhead": None, "investment": None, "settled": False}, set()),
    ):
        found = portfolio(*names, own=[own(11), own(11, workload="x", **nothing)])[11]
        assert {place for place, amount in enumerate(found) if amount is None} == lost, nothing
    assert portfolio(*names, own=[own(11), own(11, workload="x")])[11] == usual


def test_what_belongs_to_no_workload_is_added_by_day() -> None:
    def amounts(kind: str, **said: object) -> list[dict[str, Any]]:
        return [
            {"date": day(number), "kind": kind, "amount": amount} | said
            for number, amount in ((9, 1), (10, 2), (10, 4), (12, 8))
        ]

    loose = {
        "pool_idle": amounts("overhead") + amounts("stranded_cluster") + amounts("overhead", **W),
        "investment_daily": amounts("partner") + amounts("partner", **W),
        "upkeep_daily": [
            {"date": day(number), "upkeep": 100} | said
            for number, said in ((10, {}), (10, W), (13, {}))
        ],
        "commitments": amounts("uncovered") + amounts("stranded"),
    }
    names = ("overhead", "cluster_idle", "upkeep", "investment", "net_saving")
    assert portfolio(*names, own=[own(10)], **loose) == {
        9: (1, 1, 0, 1, -1),
        10: (256 + 6 + 6 + 100, 2048 + 6, 1024 + 100, 512 + 6, 16 - 368),
        12: (8 + 8, 8, 0, 8, -16),
        13: (100, 0, 100, 0, -100),
    }


def test_what_is_unknown_of_no_workload_is_unknown_of_all_and_never_zero() -> None:
    def lacks(kind: str) -> list[dict[str, Any]]:
        return [{"date": day(11), "kind": kind}, {"date": day(11), "kind": kind, "amount": 4}]

    names = ("gross_saving", "overhead", "cluster_idle", "net_saving", "investment")
    for given, lost in (
        ({"pool_idle": lacks("overhead")}, {1, 2, 3}),
        ({"commitments": lacks("uncovered")}, {1, 3}),
        ({"investment_daily": lacks("partner")}, {4}),
        ({"own": [own(11), own(11, workload="x", cluster_idle=None)]}, {2}),
        ({"own": [own(11, settled=False, cluster_idle=None), own(11)]}, set()),
    ):
        found = portfolio(*names, **{"own": [own(11)], **given})[11]
        assert {place for place, amount in enumerate(found) if amount is None} == lost, given


def test_idle_is_unknown_after_the_first_payer_who_fell_silent_since_the_cutover() -> None:
    silent = [{"settled_through": day(number)} for number in (12, 15)]
    days = [own(number) for number in (9, 12, 13)]
    names = ("overhead", "net_saving", "gross_saving", "upkeep")
    known, unknown = (256, 16 - 256, 16, 1024), (None, None, 16, 1024)
    assert portfolio(*names, own=days, silent_payers=silent) == {9: known, 12: known, 13: unknown}
    early = [{"settled_through": day(8)}]
    assert portfolio(*names, own=days, silent_payers=early) == {9: known, 12: unknown, 13: unknown}


def test_where_no_workload_may_claim_there_is_no_saving_from_the_cutover_on() -> None:
    barred = {"barred": True}
    days = [own(9), own(10)]
    names = ("gross_saving", "net_saving", "overhead", "trn_cost")
    blind = {9: (16, 16 - 256, 256, 4), 10: (None, None, 256, 4)}
    gpu = {"workload": "x", "barred": False, "has_trn": False}
    states = [[W | MOVED | barred], [W | MOVED | barred, MOVED | gpu]]
    assert [portfolio(*names, own=days, workload_state=state) for state in states] == [blind] * 2
    other = [W | MOVED | barred, MOVED | {"workload": "x"}]
    assert portfolio(*names, own=days, workload_state=other)[10] == (16, 16 - 256, 256, 4)
    nobody = [W | MOVED | {"has_trn": False}]
    assert portfolio(*names, own=days, workload_state=nobody)[10] == (16, 16 - 256, 256, 4)


def test_the_end_is_that_of_who_moved_last_else_of_all_else_of_the_bill() -> None:
    days = [own(number) for number in (18, 19, 20, 21)]
    moved = [W | MOVED, {"workload": "x", "settled_through": day(18), "cutover": day(2)},
             {"workload": "y", "settled_through": day(21)}]  # fmt: skip
    unmoved = [W | {"settled_through": day(18)}, {"workload": "x", "settled_through": day(19)}]
    bills = [{"settled_through": day(number)} for number in (20, 21, 19)]
    ends = []
    for states in (moved, unmoved, []):
        found = portfolio("settled", own=days, workload_state=states, settled_accounts=bills)
        ends.append(max(number for number, (settled,) in found.items() if settled))
    assert ends == [20, 19, 21]


def test_epochs_of_workloads_that_count_differently_do_not_add_up() -> None:
    units = [W | {"main": True, "unit": unit} for unit in ("epoch", "token")]
    names = ("epochs", "credited_epochs", "trn_cost", "unit")
    assert portfolio(*names, own=[own(11)]) == {11: (1, 2, 4, "epoch")}
    assert portfolio(*names, own=[own(11)], kinds=units) == {11: (None, None, 4, None)}
