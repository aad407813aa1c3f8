-- A table that a run made: a worker that takes the run over finds what the lost one left.
ALTER TABLE datasets ADD COLUMN run_id uuid, ADD COLUMN run_step text;
CREATE UNIQUE INDEX ux_datasets_run_step ON datasets (run_id, run_step)
    WHERE live AND run_id IS NOT NULL;
COMMENT ON COLUMN datasets.run_id IS 'the run that made the table; null for a table that was uploaded';
COMMENT ON COLUMN datasets.run_step IS 'the step of that run; a step makes one table';
