-- The limit of unfinished runs per account counts them where a run is queued.
CREATE INDEX ix_runs_account_active ON runs (account_id) WHERE status IN ('queued', 'running');
