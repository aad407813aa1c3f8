-- When events were appended, as pairs of a sequence number and milliseconds since 1970, about four
-- a second. Chunks that were written before have none.
ALTER TABLE run_events ADD COLUMN times jsonb;
