-- A search for assets reads one index, whatever its order.
DROP INDEX ix_assets_name;
CREATE INDEX ix_assets_name ON assets (account_id, kind, lower(name), id)
    INCLUDE (name, created_at, updated_at) WHERE deleted_at IS NULL;

-- The jobs of an account with one status, in the order in which they are listed.
CREATE INDEX ix_memory_jobs_status ON memory_jobs (account_id, status, created_at);

-- The tool calls of all stories of an account, newest first; those of other runs are not listed.
ALTER TABLE tool_executions ADD COLUMN account_id uuid;
UPDATE tool_executions t SET account_id = s.user_id FROM sessions s WHERE s.id = t.session_id;
CREATE INDEX ix_tool_executions_account
    ON tool_executions (account_id, created_at DESC, attempt DESC, number DESC)
    WHERE account_id IS NOT NULL;
