-- The limit of unfinished runs per account counts them where a run is queued. Not a partial index: the
-- planner would take it, small as it is, for statements that look a run up by its id.
CREATE INDEX ix_runs_account_status ON runs (account_id, status);
