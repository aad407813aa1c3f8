"""The journal: numbered events of runs, in memory first, in `run_events` shortly after.

A run that executes in this process has a `RunLog` (`log`); followers here read it directly.
The flush loop (`journal`) appends a chunk of new events of each run in one statement (`store`)
that also notifies other processes; their followers read the table, which is the truth. Flushes
commit asynchronously: the log in memory stays complete until the run is settled, and after a
lost connection all of it is written again, so nothing depends on those commits being durable.

What can be in it is `events`; `snapshot` folds the events of a run to its state and messages;
`replay` rebuilds events from messages after a partition was dropped.
"""

from yarrow.journal.journal import Journal
from yarrow.journal.log import EventChunk, NumberedEvent, RunLog

__all__ = ["EventChunk", "Journal", "NumberedEvent", "RunLog"]
