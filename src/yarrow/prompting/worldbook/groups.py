"""Inclusion groups: of the entries that share a group's name, one gets in."""

from collections.abc import Collection, Sequence
from random import Random

from yarrow.prompting.worldbook.found import Found
from yarrow.prompting.worldbook.request import ActivationMode


def losers(found: Sequence[Found], *, taken: Collection[str], seed: str) -> dict[Found, str]:
    """Who must leave, with the reason; `taken` are the groups that have an active entry."""
    groups: dict[str, list[Found]] = {}
    for candidate in found:
        for name in candidate.entry.groups:
            groups.setdefault(name, []).append(candidate)
    out: dict[Found, str] = {}
    for name, members in groups.items():
        present = [member for member in members if member not in out]
        out.update(_losers_of(name, present, taken=name in taken, seed=seed))
    return out


def _losers_of(name: str, members: list[Found], *, taken: bool, seed: str) -> dict[Found, str]:
    sticky = [member for member in members if member.mode is ActivationMode.STICKY]
    if sticky:
        return _all_but(sticky, members, f"group {name} has a sticky entry")
    if taken:
        return _all_but([], members, f"group {name} is active already")
    out: dict[Found, str] = {}
    if any(member.scored for member in members):
        best = max(member.score for member in members)
        kept = [member for member in members if member.score == best or not member.scored]
        out = _all_but(kept, members, f"another entry of group {name} has more keys in the text")
        members = kept
    if len(members) > 1:
        winner = _winner(members, seed=f"{seed}:group:{name}")
        out |= _all_but([winner], members, f"group {name} went to entry {winner.entry.uid}")
    return out


def _winner(members: Sequence[Found], *, seed: str) -> Found:
    """The one with precedence and the highest order, else a draw by weight."""
    preferred = [member for member in members if member.entry.group_override]
    weights = [member.entry.group_weight for member in members]
    if preferred or not any(weights):
        return min(preferred or members, key=lambda member: member.rank)
    return Random(seed).choices(members, weights)[0]


def _all_but(kept: Sequence[Found], members: Sequence[Found], why: str) -> dict[Found, str]:
    return {member: why for member in members if member not in kept}
