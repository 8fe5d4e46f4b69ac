"""Evaluates the factors of a move besides money: model, team, cloud, inference, commitments.

Each returns a `Factor` that leans to Trainium, to GPU, to neither, or is open.
"""

from __future__ import annotations

from dashboard.pages.decide.checklist.answers import Answers
from dashboard.pages.decide.checklist.factor import GPU, NEITHER, OPEN, TRAINIUM, Factor
from dashboard.pages.decide.checklist.facts import Facts
from dashboard.wording.format import count, dollars, percent
from models.contract.rules.recent_window import WEEKS
from models.forecast.migration import Migration


def architecture(answers: Answers, facts: Facts) -> Factor:
    """Returns a checklist factor: whether Neuron supports the model, as answered or as it moved."""
    rule = "Trainium if Neuron supports it as it is; GPU if kernels must be rewritten."
    by_answer = {
        "supported": (TRAINIUM, "Most of the code runs with minimal changes."),
        "port": (NEITHER, "A port by hand is work, but possible: its cost is counted above."),
        "kernels": (GPU, "Own CUDA kernels must be rewritten for Neuron."),
    }
    if answers.arch:
        return Factor("arch", *by_answer[answers.arch], rule)
    if facts.moved:
        return Factor("arch", TRAINIUM, "So it runs there.", rule, "It trains on Trainium already.")
    return Factor("arch", OPEN, "A bill does not show what a model is made of.", rule)


def migration_budget(asked: Migration, answers: Answers, facts: Facts) -> Factor:
    """Returns a checklist factor: whether the budget covers the move; neutral if it has moved."""
    cost = asked.porting_cost
    answer = "" if not cost else f"The move costs {dollars(cost)}."
    rule = "Trainium if the budget covers the cost of the move; GPU if it does not."
    if facts.moved:
        return Factor(
            "budget",
            NEITHER,
            "The workload has moved, so the money is already spent.",
            rule,
            answer,
        )
    if answers.budget is None or not cost:
        lacking = "the budget" if cost else "what the move costs (the slider above)"
        return Factor("budget", OPEN, f"Still to enter: {lacking}.", rule, answer)
    enough = answers.budget >= cost
    reason = (
        f"{dollars(answers.budget)} {'covers' if enough else 'falls short of'} {dollars(cost)}."
    )
    return Factor("budget", TRAINIUM if enough else GPU, reason, rule, answer)


def cloud_strategy(answers: Answers) -> Factor:
    """Returns a checklist factor: GPU if training must run on other clouds too, as answered."""
    by_answer = {
        "": (OPEN, "One AWS bill says nothing about other clouds."),
        "aws": (TRAINIUM, "Only AWS has Trainium, which is no obstacle here."),
        "several": (GPU, "Only AWS has Trainium: elsewhere the same code needs a GPU."),
    }
    return Factor("cloud", *by_answer[answers.cloud], "GPU if it must also run on another cloud.")


def team(answers: Answers, facts: Facts) -> Factor:
    """Returns a checklist factor: whether the team can port, as answered, else by past moves."""
    rule = "Trainium if somebody has done it before; GPU if nobody has time."
    by_answer = {
        "knows": (TRAINIUM, "Somebody has done it before."),
        "learns": (NEITHER, "Learning takes days: add them to the effort."),
        "none": (GPU, "Nobody has time to do it."),
    }
    answer = ""
    if facts.moved_here:
        saving = "saves" if facts.saving_here == 1 else "save"
        moved = f"{count(facts.moved_here, 'workload')} moved here"
        answer = f"{moved}; {facts.saving_here} of them {saving}."
    if answers.team:
        return Factor("team", *by_answer[answers.team], rule, answer)
    if facts.saving_here:
        return Factor("team", TRAINIUM, "Somebody here has done it, and it saves.", rule, answer)
    if facts.moved_here:
        return Factor("team", NEITHER, "It was done here, and has not saved yet.", rule, answer)
    return Factor("team", OPEN, "Nobody has moved a workload here yet.", rule)


def inference(answers: Answers, facts: Facts) -> Factor:
    """Returns a checklist factor: whether models are served on Neuron, as answered or as billed."""
    rule = "Trainium if models are served on Neuron; GPU if serving needs CUDA."
    by_answer = {
        "none": (NEITHER, "Nothing depends on it."),
        "neuron": (TRAINIUM, "The same SDK and formats serve it."),
        "any": (NEITHER, "A portable checkpoint can be served on either."),
        "cuda": (GPU, "It would have to be converted back for each release."),
    }
    answer = f"Inferentia hours are on the bill of the last {WEEKS} settled weeks."
    answer = answer if facts.serves_neuron else ""
    if answers.serve:
        return Factor("serve", *by_answer[answers.serve], rule, answer)
    if facts.serves_neuron:
        return Factor("serve", TRAINIUM, "Models are served on Neuron here already.", rule, answer)
    return Factor("serve", OPEN, "A bill does not say how a model is served.", rule)


def commitment(answers: Answers, facts: Facts) -> Factor:
    """Returns a checklist factor: whether a move idles a GPU commitment, as answered or billed."""
    rule = "GPU if a commitment covers any of its GPU hours and cannot cover Trainium."
    by_answer = {
        "free": (TRAINIUM, "No commitment for GPUs would be left idle."),
        "covers": (NEITHER, "A Compute Savings Plan covers both."),
        "bound": (GPU, "What nobody else uses of it must still be paid."),
    }
    share = facts.committed
    lately = f"of its GPU hours of the last {WEEKS} settled weeks."
    answer = "" if share is None else f"A commitment covers {percent(share, 1)} {lately}"
    if answers.plan:
        return Factor("plan", *by_answer[answers.plan], rule, answer)
    if share is None:
        return Factor(
            "plan", NEITHER, "It had no GPU hours lately that a commitment could cover.", rule
        )
    if share:
        reason = "What nobody else uses of the commitment must still be paid."
        return Factor("plan", GPU, reason, rule, answer)
    return Factor("plan", TRAINIUM, "No commitment would be left idle.", rule, answer)
