"""Inclusion groups: of the entries that share a group's name, one gets in."""

from collections.abc import Collection, Sequence
from random import Random

from yarrow.prompting.worldbook.found import Found
from yarrow.prompting.worldbook.request import ActivationMode


def losers(found: Sequence[Found], *, taken: Collection[str], seed: str) -> dict[Found, str]:
    """Who must leave, with the reason; `taken` are the groups that have an active entry.

    What needs no draw is settled first in all groups: nobody loses to one who must leave anyway.
    """
    groups: dict[str, list[Found]] = {}
    for candidate in found:
        for name in candidate.entry.groups:
            groups.setdefault(name, []).append(candidate)
    out: dict[Found, str] = {}
    for name, members in groups.items():
        out.update(_shut_out(name, members, taken=name in taken))
    for name, members in groups.items():
        present = [member for member in members if member not in out]
        if not any(map(_is_sticky, present)):
            out.update(_beaten(name, present, seed=f"{seed}:group:{name}"))
    return out


def _shut_out(name: str, members: Sequence[Found], *, taken: bool) -> dict[Found, str]:
    sticky = [member for member in members if _is_sticky(member)]
    if sticky:
        return _all_but(sticky, members, f"group {name} has a sticky entry")
    return _all_but([], members, f"group {name} is active already") if taken else {}


def _beaten(name: str, members: Sequence[Found], *, seed: str) -> dict[Found, str]:
    out: dict[Found, str] = {}
    if any(member.scored for member in members):
        best = max(member.score for member in members)
        kept = [member for member in members if member.score == best or not member.scored]
        out = _all_but(kept, members, f"another entry of group {name} has more keys in the text")
        members = kept
    if len(members) > 1:
        winner = _winner(members, seed=seed)
        out |= _all_but([winner], members, f"group {name} went to entry {winner.entry.uid}")
    return out


def _is_sticky(member: Found) -> bool:
    return member.mode is ActivationMode.STICKY


def _winner(members: Sequence[Found], *, seed: str) -> Found:
    """The one with precedence and the highest order, else a draw by weight."""
    preferred = [member for member in members if member.entry.group_override]
    weights = [member.entry.group_weight for member in members]
    if preferred or not any(weights):
        return min(preferred or members, key=lambda member: member.rank)
    return Random(seed).choices(members, weights)[0]


def _all_but(kept: Sequence[Found], members: Sequence[Found], why: str) -> dict[Found, str]:
    return {member: why for member in members if member not in kept}
