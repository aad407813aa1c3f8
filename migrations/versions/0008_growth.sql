-- What a list of sessions filters by, so that a page of it is read from one index.
ALTER TABLE sessions
    ADD COLUMN has_answer boolean NOT NULL DEFAULT FALSE,
    ADD COLUMN is_story boolean NOT NULL DEFAULT FALSE,
    ADD COLUMN is_archived boolean NOT NULL DEFAULT FALSE,
    ADD COLUMN character_id uuid,
    -- A column, because only columns are read from an index alone; 300 characters, because an index
    -- entry has a limit of 2,700 bytes and a title has none.
    ADD COLUMN story_title text GENERATED ALWAYS AS (
        CASE WHEN is_story THEN left(lower(coalesce(title, '')), 300) END) STORED;
COMMENT ON COLUMN sessions.has_answer IS 'an answer that the user sees is in a live turn';
COMMENT ON COLUMN sessions.is_story IS 'there is a row in session_bindings';
COMMENT ON COLUMN sessions.is_archived IS 'session_bindings.archived_at is not null';
COMMENT ON COLUMN sessions.character_id IS 'the same as in session_bindings';

UPDATE sessions s SET has_answer = TRUE WHERE EXISTS (
    SELECT 1 FROM messages m LEFT JOIN turns t ON t.id = m.turn_id
    WHERE m.session_id = s.id AND m.role = 'assistant' AND m.deleted_at IS NULL AND m.page_active
      AND m.visibility_mask & 1 = 1 AND t.live IS NOT FALSE
);
UPDATE sessions s
SET is_story = TRUE, is_archived = b.archived_at IS NOT NULL, character_id = b.character_id
FROM session_bindings b WHERE b.session_id = s.id;

-- Ends heap-only updates of sessions: two more index entries for each of a run's two updates.
CREATE INDEX ix_sessions_activity ON sessions (user_id, last_activity_at DESC, id)
    INCLUDE (has_answer, deleted_at);
DROP INDEX ix_sessions_user;
CREATE INDEX ix_sessions_operator ON sessions (user_id) WHERE session_type = 'automation';
CREATE INDEX ix_sessions_story_updated ON sessions (user_id, updated_at, id)
    INCLUDE (is_archived, character_id) WHERE is_story AND deleted_at IS NULL;
CREATE INDEX ix_sessions_story_created ON sessions (user_id, created_at, id)
    INCLUDE (is_archived, character_id) WHERE is_story AND deleted_at IS NULL;
CREATE INDEX ix_sessions_story_title ON sessions (user_id, story_title, id)
    INCLUDE (is_archived, character_id) WHERE is_story AND deleted_at IS NULL;

-- The turns of a story in their order.
CREATE INDEX ix_turns_order ON turns (session_id, seq, created_at, id) INCLUDE (branch_id, live);
DROP INDEX ix_turns_session;

-- The days of a session. Imported messages are not in the order of their numbers.
CREATE INDEX ix_messages_day ON messages (session_id, created_at);

CREATE INDEX ix_assets_updated ON assets (account_id, kind, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assets_created ON assets (account_id, kind, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_assets_name ON assets (account_id, kind, lower(name), id)
    INCLUDE (name) WHERE deleted_at IS NULL;
DROP INDEX ix_assets_account;

CREATE INDEX ix_datasets_created ON datasets (account_id, workspace, created_at, id) WHERE live;

-- How many rows there are for each session or account. ANALYZE counts the sessions of a young table
-- and takes their number for constant: plans would read all of the table once it has grown.
ALTER TABLE messages ALTER COLUMN session_id SET (n_distinct = -0.05);
ALTER TABLE turns
    ALTER COLUMN session_id SET (n_distinct = -0.1), ALTER COLUMN branch_id SET (n_distinct = -0.1);
ALTER TABLE runs ALTER COLUMN session_id SET (n_distinct = -0.2);
ALTER TABLE sessions ALTER COLUMN user_id SET (n_distinct = -0.05);
ALTER TABLE points_ledger ALTER COLUMN user_id SET (n_distinct = -0.02);
ALTER TABLE assets ALTER COLUMN account_id SET (n_distinct = -0.05);
ALTER TABLE datasets ALTER COLUMN account_id SET (n_distinct = -0.05);
