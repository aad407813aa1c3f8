-- Tool calls of stories: who provided the tool, what it changed, and what became of it. Calls of other
-- agents have none of these.
ALTER TABLE tool_executions
    ADD COLUMN session_id    uuid REFERENCES sessions (id) ON DELETE CASCADE,
    ADD COLUMN turn_id       uuid REFERENCES turns (id) ON DELETE CASCADE,
    ADD COLUMN reply_id      uuid,
    ADD COLUMN provider_id   text,
    ADD COLUMN provider_type text,
    ADD COLUMN side_effect   text,
    ADD COLUMN outcome       text,
    ADD COLUMN message       text,
    ADD COLUMN duration_ms   integer,
    ADD COLUMN attempt       integer,
    ADD COLUMN number        integer;
COMMENT ON COLUMN tool_executions.reply_id IS
    'the message whose turn committed the effects of the call; null: they were discarded';
COMMENT ON COLUMN tool_executions.number IS 'the place of the call in its run';
ALTER TABLE tool_executions DROP CONSTRAINT ck_tool_executions_status;
ALTER TABLE tool_executions ADD CONSTRAINT ck_tool_executions_status CHECK (status IN (
    'requested', 'succeeded', 'failed',
    'success', 'error', 'denied', 'running', 'queued', 'timeout', 'uncertain', 'blocked'));
CREATE INDEX ix_tool_executions_turn ON tool_executions (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX ix_tool_executions_session ON tool_executions (session_id, created_at)
    WHERE session_id IS NOT NULL;

ALTER TABLE session_bindings ADD COLUMN tool_permissions json NOT NULL DEFAULT '{}';
