-- A search for stories reads the index of its order, and ends with the page.
DROP INDEX ix_sessions_story_updated;
CREATE INDEX ix_sessions_story_updated ON sessions (user_id, updated_at, id)
    INCLUDE (is_archived, character_id, story_title) WHERE is_story AND deleted_at IS NULL;
DROP INDEX ix_sessions_story_created;
CREATE INDEX ix_sessions_story_created ON sessions (user_id, created_at, id)
    INCLUDE (is_archived, character_id, story_title) WHERE is_story AND deleted_at IS NULL;
DROP INDEX ix_sessions_story_title;
CREATE INDEX ix_sessions_story_title ON sessions (user_id, story_title, id)
    INCLUDE (is_archived, character_id) WHERE is_story AND deleted_at IS NULL;

-- The calls of one tool, and those that did not succeed.
CREATE INDEX ix_tool_executions_tool
    ON tool_executions (account_id, tool_name, created_at DESC, attempt DESC, number DESC)
    WHERE account_id IS NOT NULL;
CREATE INDEX ix_tool_executions_unsuccessful
    ON tool_executions (account_id, created_at DESC, attempt DESC, number DESC)
    WHERE account_id IS NOT NULL AND status <> 'success';
-- A tool that nobody calls is looked for like any other, however few tools there are.
ALTER TABLE tool_executions ALTER COLUMN tool_name SET (n_distinct = 1000);
