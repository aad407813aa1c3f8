-- Memories: facts, summaries and open loops of an account, a story, a branch or a turn.
CREATE TABLE memory_items (
    id           uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    scope        text NOT NULL,
    session_id   uuid REFERENCES sessions (id) ON DELETE CASCADE,
    branch_id    uuid REFERENCES branches (id) ON DELETE CASCADE,
    turn_id      uuid REFERENCES turns (id) ON DELETE CASCADE,
    kind         text NOT NULL,
    tier         text,
    content      text NOT NULL,
    fact_key     text,
    importance   double precision NOT NULL,
    confidence   double precision NOT NULL,
    is_active    boolean NOT NULL DEFAULT true,
    replies      uuid[] NOT NULL DEFAULT '{}',
    source_turn  uuid,
    source_reply uuid,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_memory_items_scope CHECK (scope IN ('global', 'chat', 'branch', 'turn')),
    CONSTRAINT ck_memory_items_kind CHECK (kind IN ('fact', 'summary', 'open_loop')),
    CONSTRAINT ck_memory_items_tier CHECK (
        tier IS NULL OR (kind = 'summary' AND tier IN ('micro', 'macro'))
    ),
    CONSTRAINT ck_memory_items_place CHECK (
        (session_id IS NULL) = (scope = 'global')
        AND (branch_id IS NOT NULL) = (scope IN ('branch', 'turn'))
        AND (turn_id IS NOT NULL) = (scope = 'turn')
    ),
    CONSTRAINT ck_memory_items_range CHECK (
        importance BETWEEN 0 AND 1 AND confidence BETWEEN 0 AND 1
    )
);
CREATE INDEX ix_memory_items_session ON memory_items (session_id, created_at);
CREATE INDEX ix_memory_items_account ON memory_items (account_id, created_at);
CREATE INDEX ix_memory_items_global ON memory_items (account_id, importance) WHERE scope = 'global';
CREATE INDEX ix_memory_items_branch ON memory_items (branch_id);
CREATE INDEX ix_memory_items_turn ON memory_items (turn_id);
COMMENT ON COLUMN memory_items.replies IS
    'the replies that it was made from: it counts while all of them are live; empty: a person wrote it';

CREATE TABLE memory_edges (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    source_id  uuid REFERENCES memory_items (id) ON DELETE CASCADE,
    target_id  uuid NOT NULL REFERENCES memory_items (id) ON DELETE CASCADE,
    relation   text NOT NULL,
    replies    uuid[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_memory_edges_relation CHECK (relation IN (
        'supports', 'contradicts', 'updates', 'derived_from', 'compacts', 'resolves', 'deprecates'
    )),
    CONSTRAINT ck_memory_edges_source CHECK ((source_id IS NULL) = (relation = 'deprecates')),
    CONSTRAINT ck_memory_edges_ends CHECK (source_id <> target_id)
);
CREATE UNIQUE INDEX ux_memory_edges_ends ON memory_edges (source_id, target_id, relation);
CREATE INDEX ix_memory_edges_target ON memory_edges (target_id);
CREATE INDEX ix_memory_edges_account ON memory_edges (account_id, created_at);
COMMENT ON COLUMN memory_edges.relation IS
    'deprecates has no source: a turn found that its target no longer holds';

CREATE TABLE memory_jobs (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    session_id uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    branch_id  uuid NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
    kind       text NOT NULL,
    payload    json NOT NULL,
    status     text NOT NULL DEFAULT 'queued',
    attempt    integer NOT NULL DEFAULT 0,
    failure    text,
    outcome    json,
    claimed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_memory_jobs_kind CHECK (kind IN ('turn', 'compact', 'rebuild')),
    CONSTRAINT ck_memory_jobs_status CHECK (
        status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')
    )
);
CREATE INDEX ix_memory_jobs_account ON memory_jobs (account_id, created_at);
CREATE INDEX ix_memory_jobs_session ON memory_jobs (session_id);
CREATE INDEX ix_memory_jobs_branch ON memory_jobs (branch_id);
CREATE INDEX ix_memory_jobs_open ON memory_jobs (created_at) WHERE status IN ('queued', 'running');
