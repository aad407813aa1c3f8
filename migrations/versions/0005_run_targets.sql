-- A turn is live when it is part of its branch. The replacement of a turn becomes live when its
-- run commits, in the same transaction in which the replaced turn ceases to be.
ALTER TABLE turns
    ADD COLUMN live boolean NOT NULL DEFAULT TRUE,
    ADD COLUMN replaces uuid REFERENCES turns (id);
UPDATE turns SET live = FALSE WHERE status = 'superseded';
ALTER TABLE turns ADD CONSTRAINT ck_turns_live CHECK (NOT (live AND status = 'superseded'));
DROP INDEX ux_turns_branch_seq;
CREATE UNIQUE INDEX ux_turns_branch_seq ON turns (branch_id, seq) WHERE live;

-- One active run a branch: the rule against two answers to one turn, and double spending.
ALTER TABLE runs ADD COLUMN branch_id uuid;
UPDATE runs SET branch_id = turns.branch_id FROM turns WHERE turns.id = runs.turn_id;
ALTER TABLE runs ALTER COLUMN branch_id SET NOT NULL;
COMMENT ON COLUMN runs.branch_id IS 'the turn''s branch, kept here for the index of active runs';
DROP INDEX ux_runs_session_active;
CREATE UNIQUE INDEX ux_runs_branch_active ON runs (branch_id)
    WHERE status IN ('queued', 'running');

-- The encrypted key of a client's model is kept until its run has ended, and no longer.
UPDATE runs SET input = (input::jsonb - 'model')::json
WHERE ended_at IS NOT NULL AND input::jsonb ? 'model';

-- Requests that wait for their branch, in the order of their arrival. Rows are renewed while the
-- request waits, and mean nothing after a restart.
CREATE UNLOGGED TABLE branch_waiters (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id uuid NOT NULL,
    branch     text NOT NULL,
    seen_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ix_branch_waiters_branch ON branch_waiters (session_id, branch, id);
