-- Model endpoints of an account; the key is encrypted with YARROW_SECRETS_KEY.
CREATE TABLE llm_profiles (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    name       text NOT NULL,
    provider   text NOT NULL,
    model      text NOT NULL,
    base_url   text NOT NULL,
    secret     bytea,
    is_enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ix_llm_profiles_account ON llm_profiles (account_id, created_at);

-- The profile of a slot, for all stories of the account or for one session.
CREATE TABLE llm_bindings (
    account_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    session_id uuid REFERENCES sessions (id) ON DELETE CASCADE,
    slot       text NOT NULL,
    profile_id uuid NOT NULL REFERENCES llm_profiles (id) ON DELETE CASCADE,
    params     json NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ux_llm_bindings UNIQUE NULLS NOT DISTINCT (account_id, session_id, slot),
    CONSTRAINT ck_llm_bindings_slot CHECK (
        slot IN ('*', 'narrator', 'director', 'verifier', 'memory')
    )
);
CREATE INDEX ix_llm_bindings_session ON llm_bindings (session_id);
CREATE INDEX ix_llm_bindings_profile ON llm_bindings (profile_id);

CREATE TABLE llm_instances (
    account_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    slot       text NOT NULL,
    is_enabled boolean NOT NULL DEFAULT true,
    params     json NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, slot),
    CONSTRAINT ck_llm_instances_slot CHECK (
        slot IN ('*', 'narrator', 'director', 'verifier', 'memory')
    )
);
