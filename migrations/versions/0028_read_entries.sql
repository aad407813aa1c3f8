-- The variables and state values of a branch and the global variables, after taking locks of their
-- scopes. Each query of a volatile function sees what was committed before it began, so one round
-- trip is enough; a plain statement that waits for a lock would read what was there before the wait.
CREATE FUNCTION public.fn_read_entries(locks text[], account uuid, branch uuid)
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
        WHERE v.account_id = account AND (
            (v.scope = 'branch' AND v.scope_id = branch::text)
            OR (v.scope = 'global' AND v.scope_id = 'global'))
        UNION ALL
        SELECT 'state', s.namespace || '/' || s.slot, s.entry, s.written_by::text
        FROM public.state_values s WHERE s.branch_id = branch;
END
$$;
