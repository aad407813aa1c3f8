-- What turns wrote to global variables, in the order of their commits. Turns of many branches and
-- stories write them and are undone in any order, so that the value that one turn found says
-- nothing about what is left without it. A variable has the value of its newest standing row.
CREATE TABLE global_writes (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    key        text NOT NULL,
    reply_id   uuid,
    value      json,
    stands     boolean NOT NULL
);
CREATE UNIQUE INDEX ux_global_writes_reply ON global_writes (reply_id, key);
CREATE INDEX ix_global_writes_key ON global_writes (account_id, key, number);
COMMENT ON COLUMN global_writes.reply_id IS
    'the reply whose turn wrote the value; null: what was there before the first turn wrote';
COMMENT ON COLUMN global_writes.value IS 'null: the variable was deleted, or there was none';
COMMENT ON COLUMN global_writes.stands IS 'false: the turn was undone, or another reply was chosen';

-- Each write of the turns so far names the writer that it found. From the writer of the present
-- value back, these writes stand, on what the oldest of them found; the others can only be chosen
-- again.
CREATE TEMPORARY TABLE earlier_writes ON COMMIT DROP AS
SELECT s.user_id AS account_id, w ->> 'key' AS key, t.reply_id,
       CASE WHEN w ->> 'is_deleted' = 'true' THEN NULL ELSE coalesce(w -> 'value', 'null') END
           AS value,
       CASE WHEN w ->> 'was_missing' = 'true' THEN NULL ELSE coalesce(w -> 'old_value', 'null') END
           AS old_value,
       (w ->> 'old_writer')::uuid AS old_writer, v.value AS present_value, v.written_by
FROM turn_states t JOIN turns u ON u.id = t.turn_id JOIN sessions s ON s.id = u.session_id
CROSS JOIN json_array_elements(t.writes) AS w
LEFT JOIN variables v
    ON v.account_id = s.user_id AND v.scope = 'global' AND v.key = w ->> 'key'
WHERE w ->> 'scope' = 'global';
CREATE INDEX ON earlier_writes (reply_id, key);

CREATE TEMPORARY TABLE standing_writes ON COMMIT DROP AS
WITH RECURSIVE chain AS (
    SELECT account_id, key, reply_id, old_value, old_writer, 1 AS age
    FROM earlier_writes WHERE reply_id = written_by
    UNION ALL
    SELECT e.account_id, e.key, e.reply_id, e.old_value, e.old_writer, c.age + 1
    FROM chain c JOIN earlier_writes e ON e.reply_id = c.old_writer AND e.key = c.key
) CYCLE reply_id, key SET is_repeated USING path
SELECT account_id, key, reply_id, old_value, age FROM chain WHERE NOT is_repeated;

INSERT INTO global_writes (account_id, key, value, stands)
SELECT DISTINCT ON (e.account_id, e.key) e.account_id, e.key,
       CASE WHEN s.age IS NULL THEN e.present_value ELSE s.old_value END, TRUE
FROM earlier_writes e LEFT JOIN standing_writes s USING (account_id, key)
ORDER BY e.account_id, e.key, s.age DESC NULLS LAST;

INSERT INTO global_writes (account_id, key, reply_id, value, stands)
SELECT e.account_id, e.key, e.reply_id, e.value, s.age IS NOT NULL
FROM earlier_writes e LEFT JOIN standing_writes s USING (account_id, key, reply_id)
ORDER BY s.age DESC NULLS FIRST, e.reply_id;

UPDATE turn_states SET writes = (
    SELECT coalesce(json_agg(w), '[]') FROM json_array_elements(writes) AS w
    WHERE w ->> 'scope' <> 'global')
WHERE reply_id IN (SELECT reply_id FROM earlier_writes);
COMMENT ON COLUMN turn_states.writes IS
    'what the turn wrote, of the branch and its session state, each with what was there before';

CREATE OR REPLACE FUNCTION public.fn_read_entries(locks text[], account uuid, branch uuid)
RETURNS TABLE (scope text, key text, value json, written_by text)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY locks LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended(name, 0));
    END LOOP;
    RETURN QUERY
        SELECT v.scope, v.key, v.value, v.written_by::text FROM public.variables v
        WHERE v.account_id = account AND v.scope = 'branch' AND v.scope_id = branch::text
        UNION ALL
        SELECT 'state', s.namespace || '/' || s.slot, s.entry, s.written_by::text
        FROM public.state_values s WHERE s.branch_id = branch;
END
$$;
