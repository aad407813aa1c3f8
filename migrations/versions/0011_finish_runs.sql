ALTER TABLE runs ADD COLUMN finish_requested_at timestamptz;
COMMENT ON COLUMN runs.finish_requested_at IS
    'the run is to end its answer early and store what was said so far';

-- The runs of a turn; only stories are asked for them.
CREATE INDEX ix_runs_turn ON runs (turn_id) WHERE agent = 'storyteller';
