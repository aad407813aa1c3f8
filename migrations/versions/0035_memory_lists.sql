-- What may be deprecated or compacted: whether it is, depends on the replies of the edge being live.
ALTER TABLE memory_items
    ADD COLUMN may_be_deprecated boolean NOT NULL DEFAULT false,
    ADD COLUMN may_be_compacted boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN memory_items.may_be_deprecated IS
    'an edge that deprecates it was stored; it counts while its replies are live';
COMMENT ON COLUMN memory_items.may_be_compacted IS
    'an edge that compacts it was stored; it counts while its replies are live';
CREATE FUNCTION public.fn_mark_hidden_memories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE public.memory_items i SET
        may_be_deprecated = i.may_be_deprecated OR h.deprecates,
        may_be_compacted = i.may_be_compacted OR h.compacts
    FROM (
        SELECT m.id, e.deprecates, e.compacts FROM public.memory_items m JOIN (
            SELECT target_id, bool_or(relation = 'compacts') AS compacts,
                   bool_or(relation IN ('updates', 'resolves', 'deprecates')) AS deprecates
            FROM stored_edges GROUP BY target_id
        ) e ON e.target_id = m.id
        WHERE (e.deprecates AND NOT m.may_be_deprecated) OR (e.compacts AND NOT m.may_be_compacted)
        ORDER BY m.id FOR NO KEY UPDATE OF m -- In one order, so that two turns do not deadlock.
    ) h WHERE i.id = h.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER mark_hidden_memories AFTER INSERT ON memory_edges
    REFERENCING NEW TABLE AS stored_edges
    FOR EACH STATEMENT EXECUTE FUNCTION public.fn_mark_hidden_memories();
UPDATE memory_items i SET
    may_be_deprecated = e.deprecates, may_be_compacted = e.compacts
FROM (
    SELECT target_id, bool_or(relation = 'compacts') AS compacts,
           bool_or(relation IN ('updates', 'resolves', 'deprecates')) AS deprecates
    FROM memory_edges GROUP BY target_id
) e WHERE e.target_id = i.id;

-- The memories of all stories that one filter selects, in the order of their list.
CREATE INDEX ix_memory_items_deprecated ON memory_items (account_id, created_at)
    WHERE NOT is_active OR may_be_deprecated;
CREATE INDEX ix_memory_items_compacted ON memory_items (account_id, created_at)
    WHERE may_be_compacted;
CREATE INDEX ix_memory_items_macro ON memory_items (account_id, created_at) WHERE tier = 'macro';
CREATE INDEX ix_memory_items_kind ON memory_items (account_id, kind, created_at);
CREATE INDEX ix_memory_items_scope ON memory_items (account_id, scope, created_at);
CREATE INDEX ix_memory_items_key ON memory_items (account_id, fact_key, created_at)
    WHERE fact_key IS NOT NULL;
-- A kind, scope or key that no memory has is looked for like any other.
ALTER TABLE memory_items ALTER COLUMN fact_key SET (n_distinct = -0.5);

-- How many memories an account had, so that a write counts the newer ones only.
CREATE TABLE memory_counts (
    account_id uuid PRIMARY KEY REFERENCES auth.users (id) ON DELETE CASCADE,
    counted    integer NOT NULL,
    counted_at timestamptz NOT NULL
);
