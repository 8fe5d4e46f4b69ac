"""Which instance stood behind a node, and when a node was of no use."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ingest.allocations.node_machines import NodeMachines
from ingest.allocations.slurm.head_node import EVENTS, events, stays
from ingest.allocations.slurm.printed import read_printed
from models.contract.errors import InputError
from tests.support.slurm.printed import at

INSTANCES = """Cluster|NodeName|TimeStart|TimeEnd|InstanceId|InstanceType|Extra
atlas|p5-1|{0}|{1}|i-1|p5.48xlarge|
atlas|p5-1|{1}|Unknown|i-2|p5.48xlarge|
"""
"""Written by hand, with the columns that the manual of `sacctmgr` of Slurm 24.11 names for
`show instance`: Debian's Slurm 22.05, which the tests run, has no such command."""


def machines(text: str) -> NodeMachines:
    return NodeMachines(stays(read_printed("instances.psv", text.encode())))


def pieces(text: str, start: str, end: str | None) -> list[tuple[str, str | None, str | None]]:
    moments = [clock and datetime.fromtimestamp(int(at(clock)), UTC) for clock in (start, end)]
    found = machines(text).pieces("atlas", "p5-1", moments[0], moments[1])  # type: ignore[arg-type]
    return [
        (
            f"{piece.start:%H:%M}",
            piece.end and f"{piece.end:%H:%M}",
            piece.stay and piece.stay.resource,
        )
        for piece in found
    ]


def test_a_name_that_is_used_again_stands_for_each_machine_in_its_time() -> None:
    text = INSTANCES.format(at("08:00"), at("11:00"))
    assert pieces(text, "10:00", "12:00") == [("10:00", "11:00", "i-1"), ("11:00", "12:00", "i-2")]
    assert pieces(text, "12:00", None) == [("12:00", None, "i-2")]


def test_time_before_a_machine_is_known_is_unknown_but_for_a_minute_of_clocks() -> None:
    text = INSTANCES.format(at("10:01"), at("11:00"))
    assert pieces(text, "10:00", "10:30") == [("10:00", "10:30", "i-1")]
    assert pieces(text, "09:00", "10:30") == [("09:00", "10:01", None), ("10:01", "10:30", "i-1")]


def test_the_minutes_in_which_a_machine_boots_are_held_on_no_other() -> None:
    """They are its own, as far as the bill has them: the gap before its first job."""
    text = INSTANCES.format(at("10:42"), at("12:00"))
    assert pieces(text, "10:37", "11:00") == [("10:42", "11:00", "i-1")]
    assert pieces(text, "10:32", "11:00") == [("10:42", "11:00", "i-1")]
    assert pieces(text, "10:31", "11:00") == [("10:31", "10:42", None), ("10:42", "11:00", "i-1")]
    assert pieces(text, "10:37", "10:40") == [("10:37", "10:40", None)]


def test_the_minutes_in_which_a_job_outlives_its_machine_are_held_on_no_other() -> None:
    """A scheduler notices after minutes that a node is gone."""
    text = INSTANCES.format(at("10:00"), at("11:00")).replace("Unknown", at("12:00"))
    assert pieces(text, "11:30", "12:10") == [("11:30", "12:00", "i-2")]
    assert pieces(text, "11:30", "12:11") == [("11:30", "12:00", "i-2"), ("12:00", "12:11", None)]
    assert pieces(text, "11:30", None) == [("11:30", "12:00", "i-2"), ("12:00", None, None)]
    assert pieces(text, "12:00", "12:05") == [("12:00", "12:05", None)]


def test_a_machine_may_stand_behind_a_name_for_ever() -> None:
    text = INSTANCES.format("1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z")
    assert pieces(text, "10:00", "12:00") == [("10:00", "12:00", "i-1")]


def test_our_own_file_tells_the_same_and_of_the_cpus() -> None:
    text = (
        "cluster,node,instance_id,instance_type,cpus,from,to\n"
        f"atlas,p5-1,i-1,p5.48xlarge,192,{at('08:00')},\n"
        f"atlas,onprem,,,64,{at('08:00')},\n"
    )
    (stay,) = stays(read_printed("nodes.csv", text.encode()))
    assert (stay.resource, stay.instance_type, stay.cpus, stay.until) == (
        "i-1",
        "p5.48xlarge",
        192,
        None,
    )


def test_what_is_no_type_is_refused() -> None:
    text = INSTANCES.format(at("08:00"), at("11:00")).replace("i-2|p5.48", "i-2|p5-48")
    with pytest.raises(InputError) as caught:
        machines(text)
    assert str(caught.value) == (
        "instances.psv: line 3: an unknown instance type: p5-48xlarge "
        "(write it as EC2 does: trn1.32xlarge)"
    )


def test_events_say_why_no_job_could_use_a_node() -> None:
    text = (
        "Cluster|NodeName|TimeStart|TimeEnd|State|Reason\n"
        f"atlas||{at('08:00')}|Unknown||Cluster Registered TRES\n"
        f"atlas|p5-1|{at('08:00')}|{at('09:00')}|DRAIN*|kernel | reboot\n"
        f"atlas|p5-1|{at('09:00')}|{at('10:00')}|DRAINED|NHC: check_hw_ib\n"
        f"atlas|p5-1|{at('10:00')}|Unknown|DOWN*|Not responding\n"
        f"atlas|p5-1|{at('11:00')}|{at('12:00')}|MAINT|\n"
        f"atlas|p5-1|{at('11:00')}|{at('12:00')}|IDLE|\n"
    )
    found = list(events(read_printed("events.psv", text.encode(), ends_in_text=True)))
    assert [(event.reason, event.text) for event in found] == [
        ("drained", "kernel | reboot"),
        ("health_check", "NHC: check_hw_ib"),
        ("down", "Not responding"),
        ("maintenance", ""),
    ]
    assert found[2].until is None


def test_a_reason_may_have_several_lines() -> None:
    """A health check hands over what nvidia-smi printed; all other events count."""
    rows = (
        f"atlas|p5-1|{at('08:00')}|{at('09:00')}|DRAIN|Xid 79\n\n| GPU | Fan |\nhas fallen off\n",
        f"atlas|p5-1|{at('10:00')}|Unknown|DOWN*|Not responding\n",
    )
    text = "|".join(EVENTS) + "\n" + "".join(rows)
    found = list(events(read_printed("events.psv", text.encode(), ends_in_text=True)))
    assert [(event.reason, event.text) for event in found] == [
        ("drained", "Xid 79\n| GPU | Fan |\nhas fallen off"),
        ("down", "Not responding"),
    ]
    with pytest.raises(InputError, match="line 2: the line does not fit its header: 1 of 6"):
        read_printed("events.psv", text.replace("\n", "\nx\n", 1).encode(), ends_in_text=True)
