-- A search for stories reads one index, whatever its order.
DROP INDEX ix_sessions_story_title;
CREATE INDEX ix_sessions_story_title ON sessions (user_id, story_title, id)
    INCLUDE (is_archived, character_id, created_at, updated_at)
    WHERE is_story AND deleted_at IS NULL;
