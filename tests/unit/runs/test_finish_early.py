"""A request to end an answer early interrupts the agent once, where it may be interrupted."""

from yarrow.runs.finish_early import FinishSignal


def test_a_request_interrupts_once() -> None:
    signal, interrupted = FinishSignal(), list[str]()

    with signal.interrupting(lambda: interrupted.append("now")):
        signal.request()
        signal.request()

    assert signal.is_requested
    assert interrupted == ["now"]


def test_a_request_outside_the_block_interrupts_nothing() -> None:
    signal, interrupted = FinishSignal(), list[str]()
    with signal.interrupting(lambda: interrupted.append("now")):
        pass

    signal.request()

    assert signal.is_requested
    assert interrupted == []
