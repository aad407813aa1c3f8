-- How many events of the attempt before the chunk are internal and have no number that clients know.
-- In chunks that were written before, which have none of this, every event has a number.
ALTER TABLE run_events ADD COLUMN internal_before integer;
