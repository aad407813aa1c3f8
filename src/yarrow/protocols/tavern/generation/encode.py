"""From a turn's progress to the result of a generating call and to server-sent events."""

from collections.abc import Sequence
from typing import assert_never

from yarrow.http.problem import WireError
from yarrow.journal.events import (
    Progressed,
    RunCancelled,
    RunEvent,
    RunFailed,
    RunRestarted,
    RunStarted,
    RunSucceeded,
)
from yarrow.journal.log import NumberedEvent
from yarrow.kit.json import JsonObject, encode_json
from yarrow.product_events.story import PromptSent
from yarrow.product_events.story_tools import StoryToolFinished, StoryToolStarted
from yarrow.protocols.tavern.generation.progress import COMMITTED, SCHEDULED, TurnProgress
from yarrow.protocols.tavern.generation.wire import TurnDebug
from yarrow.protocols.tavern.prompts.encode import WireObject, encode_snapshot, encode_trace
from yarrow.protocols.tavern.tools.encode import encode_tool_frame
from yarrow.settings import MemoryMode
from yarrow.stories.place_turns import StartedTurn
from yarrow.stories.prompt_record import decompress_record
from yarrow.stories.turn_input import TurnKind


def encode_result(progress: TurnProgress, debug: TurnDebug) -> WireObject:
    """The data of a committed turn."""
    turn = progress.turn
    result: WireObject = {"floor_id": str(turn.turn_id), "floor_no": turn.number}
    result |= _encode_origin(turn)
    result |= {
        "generated_text": progress.text,
        "summaries": progress.summaries,
        "total_usage": {
            "prompt_tokens": progress.input_tokens,
            "completion_tokens": progress.output_tokens,
            "total_tokens": progress.input_tokens + progress.output_tokens,
        },
        **progress.encode_charge(),
        "final_state": "committed",
    }
    if progress.memory_mode is not None:
        result["memory"] = encode_memory(progress.memory_mode, progress.run_id)
    if progress.warnings:
        result["warnings"] = [
            {"code": each.code, "message": each.message} for each in progress.warnings
        ]
    if progress.prompt is not None:
        result |= _encode_debug(progress.prompt, debug)
    return result


def encode_memory(mode: str, run_id: str) -> WireObject:
    """What became of a turn's memory; the job of a run has the id of the run."""
    if mode == MemoryMode.ASYNC:
        return {"mode": mode, "status": "queued", "job_id": run_id}
    return {"mode": mode, "status": "applied", "job_id": None}


def _encode_origin(turn: StartedTurn) -> WireObject:
    """The branch, and the turn or message that this turn replaces."""
    match turn.input.kind:
        case TurnKind.RESPOND | TurnKind.RETRY:
            return {"branch_id": turn.branch}
        case TurnKind.REGENERATE:
            return {"previous_floor_id": str(turn.replaces)}
        case TurnKind.EDIT:
            return {
                "branch_id": turn.branch,
                "source_floor_id": turn.input.source_turn,
                "source_message_id": turn.input.source_message,
            }
        case _:
            assert_never(turn.input.kind)


def _encode_debug(prompt: PromptSent, debug: TurnDebug) -> WireObject:
    if not (debug.shows_prompt and prompt.record):
        return {}
    record, encoded = decompress_record(prompt.record), WireObject()
    if debug.include_prompt_snapshot:
        encoded["prompt_snapshot"] = encode_snapshot(record.snapshot)
    if debug.include_runtime_trace:
        trace = encode_trace(record.trace, with_matches=debug.include_worldbook_matches)
        trace.pop("visibility", None)
        encoded["runtime_trace"] = trace
    return encoded


class TurnStream:
    """Encodes the events of a turn as frames; those up to `after` were sent before.

    Of the frames of one event only the last has its number: a client that got less of them gets
    all of them again. `pending_output` is renewed with the first text after each time that the
    journal has, not by a clock: a replay has the same frames.
    """

    def __init__(self, progress: TurnProgress, debug: TurnDebug, *, after: int = 0) -> None:
        self._progress, self._debug, self._after = progress, debug, after
        self._last_number = 0
        self._is_renewal_due = False

    def encode_start(self) -> bytes:
        turn = self._progress.turn
        start = {
            "floor_id": str(turn.turn_id),
            "floor_no": turn.number,
            "branch_id": turn.branch,
        }
        return _encode_frame(0, "start", start)

    def encode_batch(self, batch: Sequence[NumberedEvent]) -> bytes:
        return b"".join([self._encode_event(each) for each in batch])

    def encode_error(self, fault: WireError) -> bytes:
        """The last frame of a stream that ends before its turn has."""
        return _encode_frame(self._last_number, "error", _encode_fault(fault))

    def _encode_event(self, numbered: NumberedEvent) -> bytes:
        number, event, at_ms = numbered
        before, self._last_number = self._last_number, number
        text = self._progress.apply(event, at_ms)
        self._is_renewal_due = self._is_renewal_due or at_ms is not None
        frames = self._list_chunk_frames(number, text) if text else self._list_frames(number, event)
        if number <= self._after:
            return b""
        last = len(frames) - 1
        return b"".join(
            [
                _encode_frame(number if index == last else before, name, data)
                for index, (name, data) in enumerate(frames)
            ]
        )

    def _list_chunk_frames(self, number: int, text: str) -> list[tuple[str, object]]:
        chunk = "chunk", {"chunk": text}
        return [self._make_run_frame(number), chunk] if self._is_renewal_due else [chunk]

    def _list_frames(self, number: int, event: RunEvent) -> list[tuple[str, object]]:
        """`run` on each change, and what a turn ends with."""
        progress = self._progress
        match event:
            case RunStarted() | RunRestarted() | Progressed():
                return [self._make_run_frame(number)]
            case StoryToolStarted() | StoryToolFinished():
                return [("tool", encode_tool_frame(event))]
            case RunSucceeded():
                summaries = {"summaries": progress.summaries}
                return [
                    self._make_run_frame(number, COMMITTED),
                    self._make_run_frame(number + 1, SCHEDULED),
                    *([("summary", summaries)] if progress.summaries else []),
                    ("done", encode_result(progress, self._debug)),
                ]
            case RunFailed() | RunCancelled():
                assert progress.fault is not None
                return [self._make_run_frame(number), ("error", _encode_fault(progress.fault))]
            case _:
                return []

    def _make_run_frame(self, number: int, phase: str | None = None) -> tuple[str, object]:
        self._is_renewal_due = False
        return "run", self._progress.encode_run(number, phase)


def _encode_fault(fault: WireError) -> JsonObject:
    return {"code": fault.code, "message": fault.title}


def _encode_frame(number: int, name: str, data: object) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (number, name.encode(), encode_json(data))
