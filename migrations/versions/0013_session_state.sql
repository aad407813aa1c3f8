-- Session state: values of clients beside a story, in namespaces that they register.
CREATE TABLE state_namespaces (
    session_id    uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    name          text NOT NULL,
    owner_type    text,
    owner_id      text,
    replay_safety text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_id, name)
);

-- The present values of each branch.
CREATE TABLE state_values (
    branch_id  uuid NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
    namespace  text NOT NULL,
    slot       text NOT NULL,
    session_id uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    entry      json NOT NULL,
    bytes      integer NOT NULL,
    written_by uuid,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (branch_id, namespace, slot)
);
CREATE INDEX ix_state_values_session ON state_values (session_id);
COMMENT ON COLUMN state_values.entry IS '{"present": …, "value": …}: a deleted slot stays listed';
COMMENT ON COLUMN state_values.written_by IS
    'the reply whose turn wrote the value; null: a person set it';

ALTER TABLE turn_states ADD COLUMN session_state json NOT NULL DEFAULT '{}';
COMMENT ON COLUMN turn_states.session_state IS
    'all state values of the branch after the turn, by namespace/slot; their writes are in `writes`';
