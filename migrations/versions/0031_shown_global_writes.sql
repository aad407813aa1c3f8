-- What each reply wrote to global variables, as its explanation lists it: the rows of global_writes
-- are deleted when a person sets the variable.
ALTER TABLE turn_states ADD COLUMN global_writes json NOT NULL DEFAULT '[]';
COMMENT ON COLUMN turn_states.global_writes IS 'for explanations; global_writes decides the values';

UPDATE turn_states s SET global_writes = own.writes FROM (
    SELECT reply_id, json_agg(CASE WHEN value IS NULL
        THEN json_build_object('scope', 'global', 'name', key, 'is_deleted', TRUE)
        ELSE json_build_object('scope', 'global', 'name', key, 'value', value) END ORDER BY number
    ) AS writes FROM global_writes WHERE reply_id IS NOT NULL GROUP BY reply_id
) AS own WHERE s.reply_id = own.reply_id;
