"""A request to end an answer early interrupts the agent once, where it may be interrupted."""

from yarrow.runs.finish_signal import FinishSignal


def test_a_request_interrupts_once() -> None:
    interrupted = list[str]()
    signal = FinishSignal(interrupt=lambda: interrupted.append("now"))

    signal.request()
    signal.request()

    assert signal.is_requested
    assert interrupted == ["now"]


def test_a_request_interrupts_no_other_work() -> None:
    signal = FinishSignal(interrupt=None)

    signal.request()

    assert signal.is_requested
