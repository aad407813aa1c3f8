-- A chunk has the events first_seq to last_seq of a run in one array. Run ids are version 7 UUIDs,
-- so a range of ids is a range of time: partitions of one week each, made ahead and dropped by
-- yarrow/journal/partition_store.py. The default partition takes what comes before they are made.
-- No foreign key to runs: the append joins the run to check its attempt.
ALTER TABLE run_events RENAME TO run_events_by_row;
ALTER TABLE run_events_by_row RENAME CONSTRAINT run_events_pkey TO run_events_by_row_pkey;

CREATE TABLE run_events (
    run_id    uuid NOT NULL,
    first_seq bigint NOT NULL,
    last_seq  bigint NOT NULL,
    events    jsonb NOT NULL,
    PRIMARY KEY (run_id, last_seq),
    CONSTRAINT ck_run_events_seq CHECK (
        first_seq > 0 AND last_seq - first_seq + 1 = jsonb_array_length(events))
) PARTITION BY RANGE (run_id);
DO $$
BEGIN
    ALTER TABLE run_events ALTER COLUMN events SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;  -- a PostgreSQL that was built without lz4 compresses with pglz
END $$;
CREATE TABLE run_events_default PARTITION OF run_events DEFAULT;
DO $$
DECLARE
    monday timestamptz := date_trunc('week', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    start timestamptz;
BEGIN
    FOR week IN -5..4 LOOP
        start := monday + week * interval '168 hours';
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF run_events FOR VALUES FROM (%L) TO (%L)',
            'run_events_week_' || to_char(start AT TIME ZONE 'UTC', 'YYYYMMDD'),
            rpad(lpad(to_hex((extract(epoch FROM start) * 1000)::bigint), 12, '0'), 32, '0'),
            rpad(lpad(to_hex((extract(epoch FROM start) * 1000)::bigint + 604800000), 12, '0'),
                 32, '0'));
    END LOOP;
END $$;

-- Numbers without a gap have the same distance to their rank.
INSERT INTO run_events (run_id, first_seq, last_seq, events)
SELECT run_id, min(seq), max(seq), jsonb_agg(event ORDER BY seq)
FROM (SELECT run_id, seq, event, seq - row_number() OVER (PARTITION BY run_id ORDER BY seq) AS island
      FROM run_events_by_row) AS numbered
GROUP BY run_id, island;
DROP TABLE run_events_by_row;
