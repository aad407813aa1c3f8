-- Memory jobs are claimed in turn over accounts, and counted for each.
DROP INDEX ix_memory_jobs_open;
CREATE INDEX ix_memory_jobs_open ON memory_jobs (account_id, created_at)
    WHERE status IN ('queued', 'running');
CREATE INDEX ix_memory_jobs_claimed ON memory_jobs (account_id, claimed_at);
