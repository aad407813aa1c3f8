-- A turn that failed is no part of its branch: it has no number and is in no prompt.
UPDATE turns SET live = FALSE WHERE status = 'failed';
ALTER TABLE turns DROP CONSTRAINT ck_turns_live;
ALTER TABLE turns ADD CONSTRAINT ck_turns_live
    CHECK (NOT (live AND status IN ('superseded', 'failed')));

ALTER TABLE variables ADD COLUMN written_by uuid;
COMMENT ON COLUMN variables.written_by IS
    'the reply whose turn wrote the value; null: a person set it';

-- The state of a story after a reply. A version of a reply has its own row, so that choosing
-- another version brings its state back.
CREATE TABLE turn_states (
    reply_id      uuid PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    turn_id       uuid NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    variables     json NOT NULL,
    writes        json NOT NULL DEFAULT '[]',
    timers        json NOT NULL DEFAULT '[]',
    timers_before json NOT NULL DEFAULT '[]'
);
CREATE INDEX ix_turn_states_turn ON turn_states (turn_id);
COMMENT ON COLUMN turn_states.variables IS 'all variables of the branch after the turn';
COMMENT ON COLUMN turn_states.writes IS
    'what the turn wrote, of the branch and globally, each with what was there before';

-- The prompt that a reply was made from, as zlib-compressed JSON.
CREATE TABLE turn_prompts (
    reply_id uuid PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    turn_id  uuid NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    record   bytea NOT NULL
);
CREATE INDEX ix_turn_prompts_turn ON turn_prompts (turn_id);
ALTER TABLE turn_prompts ALTER COLUMN record SET STORAGE EXTERNAL;

ALTER TABLE branches ADD COLUMN state_reply uuid, ADD COLUMN wanted_name text;
COMMENT ON COLUMN branches.wanted_name IS
    'the name that a branch gets when its first turn commits; until then readers do not see it';
CREATE UNIQUE INDEX ux_branches_wanted ON branches (session_id, wanted_name)
    WHERE wanted_name IS NOT NULL AND deleted_at IS NULL;
COMMENT ON COLUMN branches.state_reply IS 'the row of turn_states that the branch continues from';

-- The last turn of every branch of a story gets the state that the branch has now. Older turns
-- have none: it is not known.
INSERT INTO turn_states (reply_id, turn_id, variables)
SELECT m.id, t.id, coalesce((
    SELECT json_object_agg(v.key, v.value) FROM variables v
    WHERE v.scope = 'branch' AND v.scope_id = b.id::text), '{}')
FROM session_bindings s JOIN branches b ON b.session_id = s.session_id AND b.deleted_at IS NULL
JOIN LATERAL (
    SELECT id FROM turns WHERE branch_id = b.id AND live AND status = 'answered'
    ORDER BY seq DESC LIMIT 1
) t ON TRUE
JOIN LATERAL (
    SELECT coalesce(page_slot, id) AS slot FROM messages
    WHERE turn_id = t.id AND deleted_at IS NULL ORDER BY seq DESC LIMIT 1
) last ON TRUE
JOIN messages m ON m.turn_id = t.id AND m.deleted_at IS NULL
    AND coalesce(m.page_slot, m.id) = last.slot;
UPDATE branches b SET state_reply = s.reply_id
FROM turn_states s JOIN messages m ON m.id = s.reply_id AND m.page_active
JOIN turns t ON t.id = s.turn_id
WHERE t.branch_id = b.id;
