"""The journal: numbered events of runs, in memory first, in `run_events` shortly after.

A run that executes in this process has a `RunLog` (`log`); followers here read it directly.
The flush loop (`journal`) appends new events of all runs in one statement (`store`)
that also notifies other processes; their followers read the table, which is the truth. Flushes
commit asynchronously: the log in memory stays complete until the run is settled, and after a
lost connection all of it is written again, so nothing depends on those commits being durable.
"""

from yarrow.runs.journal.journal import Journal
from yarrow.runs.journal.log import EncodedEvent, RunLog, SequencedEvent, encode_sequenced

__all__ = ["EncodedEvent", "Journal", "RunLog", "SequencedEvent", "encode_sequenced"]
