-- Ended memory jobs are deleted by age.
CREATE INDEX ix_memory_jobs_ended ON memory_jobs (updated_at)
    WHERE status IN ('succeeded', 'failed', 'cancelled');
-- Operators list failed runs, the newest first; without this all runs of a week are read for it.
CREATE INDEX ix_runs_failed ON runs (id) WHERE status = 'failed';

-- The content of deleted sessions is removed after a while; their rows stay for the ledger.
ALTER TABLE sessions ADD COLUMN purged_at timestamptz;
COMMENT ON COLUMN sessions.purged_at IS 'when the content of the deleted session was removed';
CREATE INDEX ix_sessions_deleted ON sessions (deleted_at)
    WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
