-- Counts the changes of messages and turns that are already in a session's history; a new turn at
-- the end of a branch is none. As long as it stays the same, what a process has read of the history
-- is valid, and only newer turns need to be read. Triggers count, so that no statement can forget to.
ALTER TABLE sessions ADD COLUMN history_version integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN sessions.history_version IS 'how often messages or turns of the history changed';

CREATE FUNCTION public.fn_messages_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE public.sessions SET history_version = history_version + 1
    WHERE id IN (SELECT session_id FROM changed);
    RETURN NULL;
END
$$;

CREATE TRIGGER tg_messages_updated AFTER UPDATE ON messages
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION public.fn_messages_changed();
CREATE TRIGGER tg_messages_deleted AFTER DELETE ON messages
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION public.fn_messages_changed();

CREATE FUNCTION public.fn_turn_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE public.sessions SET history_version = history_version + 1 WHERE id = OLD.session_id;
    RETURN NULL;
END
$$;

-- A row trigger: every run answers a turn that was open, which calls no function.
CREATE TRIGGER tg_turns_updated AFTER UPDATE ON turns
    FOR EACH ROW WHEN (OLD.status <> 'open') EXECUTE FUNCTION public.fn_turn_changed();
