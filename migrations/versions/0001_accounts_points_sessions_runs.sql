-- Accounts, points, sessions and messages as the data protocol fixes them,
-- and beside them the engine's own tables: branches, turns, runs, events, tools.

CREATE SCHEMA IF NOT EXISTS auth;

CREATE TABLE auth.users (
    id                 uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    email              text,
    encrypted_password text,
    issuer             text,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX ux_users_email ON auth.users (lower(email)) WHERE issuer IS NULL;

CREATE TABLE profiles (
    id         uuid PRIMARY KEY REFERENCES auth.users (id) ON DELETE CASCADE,
    username   text NOT NULL,
    avatar_url text,
    bio        text,
    settings   jsonb NOT NULL DEFAULT '{}'::jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CONSTRAINT ck_profiles_username_not_empty CHECK (username ~ '\S'),
    CONSTRAINT ck_profiles_settings_object CHECK (jsonb_typeof(settings) = 'object')
);
CREATE INDEX ix_profiles_username ON profiles (username);
CREATE INDEX ix_profiles_settings_gin ON profiles USING gin (settings);

CREATE TABLE user_points (
    user_id         uuid PRIMARY KEY REFERENCES auth.users (id) ON DELETE CASCADE,
    balance         bigint NOT NULL DEFAULT 0,
    frozen_balance  bigint NOT NULL DEFAULT 0,
    lifetime_earned bigint NOT NULL DEFAULT 0,
    lifetime_spent  bigint NOT NULL DEFAULT 0,
    version         bigint NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_user_points_non_negative CHECK (
        balance >= 0 AND frozen_balance >= 0 AND lifetime_earned >= 0
        AND lifetime_spent >= 0 AND version >= 0
    ),
    CONSTRAINT ck_user_points_frozen_within_balance CHECK (frozen_balance <= balance)
) WITH (fillfactor = 50);

CREATE TABLE sessions (
    id               uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id          uuid NOT NULL REFERENCES auth.users (id),
    session_type     text NOT NULL DEFAULT 'chat',
    job_id           uuid,
    title            text,
    status           text NOT NULL DEFAULT 'pending',
    last_activity_at timestamptz NOT NULL DEFAULT now(),
    message_count    integer NOT NULL DEFAULT 0,
    total_tokens     bigint NOT NULL DEFAULT 0,
    total_cost       numeric(18, 6) NOT NULL DEFAULT 0,
    state_snapshot   jsonb,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    deleted_at       timestamptz,
    CONSTRAINT ck_sessions_session_type CHECK (session_type IN ('chat', 'automation')),
    CONSTRAINT ck_sessions_status CHECK (status IN ('pending', 'running', 'completed', 'failed')),
    CONSTRAINT ck_sessions_non_negative CHECK (
        message_count >= 0 AND total_tokens >= 0 AND total_cost >= 0
    )
);
-- Not by activity: that column changes with each turn, and would keep updates from being cheap.
CREATE INDEX ix_sessions_user ON sessions (user_id);

CREATE TABLE branches (
    id               uuid PRIMARY KEY,
    session_id       uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    name             text NOT NULL,
    parent_branch_id uuid REFERENCES branches (id) ON DELETE CASCADE,
    forked_after_seq integer,
    created_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ux_branches_session_name UNIQUE (session_id, name),
    CONSTRAINT ck_branches_name_not_empty CHECK (name ~ '\S'),
    CONSTRAINT ck_branches_fork CHECK ((parent_branch_id IS NULL) = (forked_after_seq IS NULL))
);

CREATE TABLE turns (
    id            uuid PRIMARY KEY,
    session_id    uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    branch_id     uuid NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
    seq           integer NOT NULL,
    status        text NOT NULL DEFAULT 'open',
    superseded_by uuid REFERENCES turns (id) DEFERRABLE INITIALLY DEFERRED,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_turns_seq_positive CHECK (seq > 0),
    CONSTRAINT ck_turns_status CHECK (status IN ('open', 'answered', 'failed', 'superseded')),
    CONSTRAINT ck_turns_superseded CHECK ((status = 'superseded') = (superseded_by IS NOT NULL))
);
-- One live turn in each place of a branch; the ones it replaced stay for the record.
CREATE UNIQUE INDEX ux_turns_branch_seq ON turns (branch_id, seq) WHERE status <> 'superseded';
CREATE INDEX ix_turns_session ON turns (session_id);

CREATE TABLE messages (
    id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    session_id      uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq             integer NOT NULL,
    role            text NOT NULL,
    content         text NOT NULL DEFAULT '',
    model_code      text,
    tool_name       text,
    input_tokens    integer NOT NULL DEFAULT 0,
    output_tokens   integer NOT NULL DEFAULT 0,
    cost            numeric(18, 6) NOT NULL DEFAULT 0,
    latency_ms      integer,
    visibility_mask integer NOT NULL DEFAULT 3,
    metadata        jsonb NOT NULL DEFAULT '{}'::jsonb,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    deleted_at      timestamptz,
    turn_id         uuid REFERENCES turns (id) ON DELETE CASCADE,
    CONSTRAINT ux_messages_session_seq UNIQUE (session_id, seq),
    CONSTRAINT ck_messages_seq_positive CHECK (seq > 0),
    CONSTRAINT ck_messages_role CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    CONSTRAINT ck_messages_non_negative CHECK (
        input_tokens >= 0 AND output_tokens >= 0 AND cost >= 0
    ),
    CONSTRAINT ck_messages_latency CHECK (latency_ms IS NULL OR latency_ms >= 0),
    CONSTRAINT ck_messages_metadata_object CHECK (jsonb_typeof(metadata) = 'object')
);
COMMENT ON COLUMN messages.visibility_mask IS 'bit 0: shown to the user, bit 1: sent to the model';
CREATE INDEX ix_messages_turn ON messages (turn_id);

-- The shape of a ledger entry's metadata. A function in plpgsql, because PostgreSQL reads the text
-- of every CHECK anew for each statement, and compiles a function once for each connection.
CREATE FUNCTION public.points_metadata_is_valid(change_type text, metadata jsonb) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    charge jsonb := metadata -> 'charge';
BEGIN
    RETURN (
        jsonb_typeof(metadata) = 'object'
        AND metadata -> 'schema_version' = '1'::jsonb
        AND metadata -> 'operator_type' IN ('"user"'::jsonb, '"system"'::jsonb, '"admin"'::jsonb)
        AND jsonb_typeof(metadata -> 'run_id') = 'string'
        AND (metadata ->> 'run_id') ~ '\S'
        AND (NOT metadata ? 'ext' OR jsonb_typeof(metadata -> 'ext') = 'object')
        AND CASE change_type
            WHEN 'register' THEN NOT metadata ? 'charge'
            WHEN 'adjust' THEN jsonb_typeof(metadata -> 'ext' -> 'ticket_id') = 'string'
                AND (metadata -> 'ext' ->> 'ticket_id') ~ '\S'
            WHEN 'consume' THEN jsonb_typeof(charge) = 'object'
                AND jsonb_typeof(charge -> 'message_id') = 'string'
                AND (charge ->> 'message_id')
                    ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
                AND jsonb_typeof(charge -> 'message_seq') = 'number'
                AND (charge ->> 'message_seq') ~ '^[1-9][0-9]*$'
                AND jsonb_typeof(charge -> 'model_code') = 'string'
                AND jsonb_typeof(charge -> 'input_tokens') = 'number'
                AND (charge ->> 'input_tokens') ~ '^[0-9]+$'
                AND jsonb_typeof(charge -> 'output_tokens') = 'number'
                AND (charge ->> 'output_tokens') ~ '^[0-9]+$'
                AND jsonb_typeof(charge -> 'cost') = 'string'
                AND (charge ->> 'cost') ~ '^[0-9]+(\.[0-9]+)?$'
            ELSE TRUE
        END
    ) IS TRUE;
END
$$;

CREATE TABLE points_ledger (
    id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id       uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    direction     smallint NOT NULL,
    amount        bigint NOT NULL,
    balance_after bigint NOT NULL,
    change_type   text NOT NULL,
    biz_type      text,
    biz_id        uuid REFERENCES sessions (id) ON DELETE RESTRICT,
    event_id      text NOT NULL,
    operator_id   uuid REFERENCES auth.users (id) ON DELETE SET NULL,
    metadata      jsonb NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ux_points_ledger_user_event UNIQUE (user_id, event_id),
    CONSTRAINT ck_points_ledger_event_id CHECK (event_id ~ '\S'),
    CONSTRAINT ck_points_ledger_amount CHECK (amount > 0),
    CONSTRAINT ck_points_ledger_direction CHECK (direction IN (1, -1)),
    CONSTRAINT ck_points_ledger_balance_after CHECK (balance_after >= 0),
    CONSTRAINT ck_points_ledger_change_type CHECK (
        change_type IN ('register', 'consume', 'grant', 'adjust')
    ),
    CONSTRAINT ck_points_ledger_biz_type CHECK (biz_type IS NULL OR biz_type = 'chat'),
    CONSTRAINT ck_points_ledger_biz_binding CHECK (
        CASE WHEN change_type = 'register' THEN biz_type IS NULL AND biz_id IS NULL
             ELSE (biz_type = 'chat') IS TRUE AND biz_id IS NOT NULL END
    ),
    CONSTRAINT ck_points_ledger_direction_coupling CHECK (
        CASE change_type WHEN 'register' THEN direction = 1
                         WHEN 'grant' THEN direction = 1
                         WHEN 'consume' THEN direction = -1
                         ELSE direction IN (1, -1) END
    ),
    CONSTRAINT ck_points_ledger_metadata CHECK (
        public.points_metadata_is_valid(change_type, metadata)
    )
);
CREATE INDEX ix_points_ledger_user_created ON points_ledger (user_id, created_at DESC, id DESC);
CREATE INDEX ix_points_ledger_biz ON points_ledger (biz_id);

CREATE FUNCTION public.initialize_profile_and_points_on_signup() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    letters constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
    username text := 'user_';
BEGIN
    FOR _ IN 1..6 LOOP
        username := username || substr(letters, 1 + floor(random() * 36)::int, 1);
    END LOOP;
    INSERT INTO public.profiles (id, username, settings) VALUES (
        NEW.id,
        username,
        '{"ai_language": "zh-CN", "timezone": "Asia/Shanghai", "day_boundary": "23:00", "script": "hans"}'
    );
    INSERT INTO public.user_points (user_id, balance, lifetime_earned) VALUES (NEW.id, 100, 100);
    INSERT INTO public.points_ledger (
        user_id, direction, amount, balance_after, change_type, event_id, metadata
    ) VALUES (
        NEW.id, 1, 100, 100, 'register', 'register:' || NEW.id,
        jsonb_build_object(
            'schema_version', 1, 'operator_type', 'system', 'run_id', 'register:' || NEW.id
        )
    );
    RETURN NEW;
END
$$;

CREATE TRIGGER tg_users_initialize AFTER INSERT ON auth.users
    FOR EACH ROW EXECUTE FUNCTION public.initialize_profile_and_points_on_signup();

-- A worker process says every second that it lives; a run whose worker is silent is free.
CREATE TABLE workers (
    id         uuid PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at    timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE runs (
    id                  uuid PRIMARY KEY,
    account_id          uuid NOT NULL,
    session_id          uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id             uuid NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    key                 text NOT NULL,
    digest              bytea NOT NULL,
    agent               text NOT NULL,
    input               json NOT NULL,
    price               integer NOT NULL,
    status              text NOT NULL DEFAULT 'queued',
    attempt             integer NOT NULL DEFAULT 0,
    worker_id           uuid,
    cancel_requested_at timestamptz,
    failure             text,
    created_at          timestamptz NOT NULL DEFAULT now(),
    started_at          timestamptz,
    ended_at            timestamptz,
    CONSTRAINT ux_runs_session_key UNIQUE (session_id, key),
    CONSTRAINT ck_runs_key CHECK (length(key) BETWEEN 1 AND 128),
    CONSTRAINT ck_runs_price CHECK (price >= 0),
    CONSTRAINT ck_runs_attempt CHECK (attempt >= 0),
    CONSTRAINT ck_runs_status CHECK (
        status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')
    ),
    CONSTRAINT ck_runs_failure CHECK ((status = 'failed') = (failure IS NOT NULL)),
    CONSTRAINT ck_runs_ended CHECK ((status IN ('queued', 'running')) = (ended_at IS NULL)),
    CONSTRAINT ck_runs_worker CHECK (status <> 'running' OR worker_id IS NOT NULL)
) WITH (fillfactor = 70);
-- One run at a time in a session: the rule against two answers to one turn, and double spending.
CREATE UNIQUE INDEX ux_runs_session_active ON runs (session_id)
    WHERE status IN ('queued', 'running');
COMMENT ON COLUMN runs.input IS 'json, not jsonb: a tool''s schema keeps the order of its keys';
COMMENT ON COLUMN runs.account_id IS 'the session''s owner, kept here so that a claim needs no join';

-- No foreign key to runs: the append joins the run to check its attempt, which is the same
-- check once per batch instead of once per token.
CREATE TABLE run_events (
    run_id     uuid NOT NULL,
    seq        bigint NOT NULL,
    event      jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, seq),
    CONSTRAINT ck_run_events_seq_positive CHECK (seq > 0)
);

CREATE TABLE tool_executions (
    id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    run_id     uuid NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    call_id    text NOT NULL,
    tool_name  text NOT NULL,
    arguments  text NOT NULL,
    result     text,
    status     text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ux_tool_executions_call UNIQUE (run_id, call_id),
    CONSTRAINT ck_tool_executions_status CHECK (status IN ('requested', 'succeeded', 'failed')),
    CONSTRAINT ck_tool_executions_result CHECK ((status = 'requested') = (result IS NULL))
);

-- PgQueuer 1.6.0's own schema, as its installer prints it, but for the trigger (a job that is
-- due later, the safety net of a run its acceptor starts itself, wakes nobody) and for an index
-- on priority, which we do not use.
CREATE TYPE pgqueuer_status AS ENUM ('queued', 'picked', 'successful', 'exception', 'canceled', 'deleted', 'failed');

CREATE TABLE pgqueuer (
    id bigserial NOT NULL PRIMARY KEY,
    priority integer NOT NULL,
    queue_manager_id uuid,
    created timestamp with time zone NOT NULL DEFAULT now(),
    updated timestamp with time zone NOT NULL DEFAULT now(),
    heartbeat timestamp with time zone NOT NULL DEFAULT now(),
    execute_after timestamp with time zone NOT NULL DEFAULT now(),
    status pgqueuer_status NOT NULL,
    entrypoint text NOT NULL,
    dedupe_key text,
    payload bytea,
    headers jsonb,
    attempts integer NOT NULL DEFAULT 0,
    slot bigint
);

CREATE TABLE pgqueuer_log (
    id bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL PRIMARY KEY,
    created timestamp with time zone NOT NULL DEFAULT now(),
    job_id bigint NOT NULL,
    status pgqueuer_status NOT NULL,
    priority integer NOT NULL,
    entrypoint text NOT NULL,
    traceback jsonb,
    aggregated boolean DEFAULT false
);

CREATE TABLE pgqueuer_schedules (
    id bigserial NOT NULL PRIMARY KEY,
    expression text NOT NULL,
    entrypoint text NOT NULL,
    heartbeat timestamp with time zone NOT NULL DEFAULT now(),
    created timestamp with time zone NOT NULL DEFAULT now(),
    updated timestamp with time zone NOT NULL DEFAULT now(),
    next_run timestamp with time zone NOT NULL DEFAULT now(),
    last_run timestamp with time zone,
    status pgqueuer_status DEFAULT 'queued'::pgqueuer_status,
    UNIQUE (expression, entrypoint)
);

CREATE TABLE pgqueuer_statistics (
    id bigserial NOT NULL PRIMARY KEY,
    created timestamp with time zone NOT NULL DEFAULT date_trunc('sec'::text, now()),
    count bigint NOT NULL,
    priority integer NOT NULL,
    status pgqueuer_status NOT NULL,
    entrypoint text NOT NULL
);

CREATE INDEX pgqueuer_ep_ea_idx ON pgqueuer USING btree (entrypoint, execute_after) WHERE (status = 'queued'::pgqueuer_status);

CREATE INDEX pgqueuer_ep_prio_id_idx ON pgqueuer USING btree (entrypoint, priority DESC, id) WHERE (status = 'queued'::pgqueuer_status);

CREATE INDEX pgqueuer_log_created ON pgqueuer_log USING btree (created);

CREATE INDEX pgqueuer_log_job_id_status ON pgqueuer_log USING btree (job_id, created DESC);

CREATE INDEX pgqueuer_log_not_aggregated ON pgqueuer_log USING btree ((1)) WHERE (NOT aggregated);

CREATE INDEX pgqueuer_log_status ON pgqueuer_log USING btree (status);

CREATE INDEX pgqueuer_picked_heartbeat_idx ON pgqueuer USING btree (heartbeat) WHERE (status = 'picked'::pgqueuer_status);

CREATE UNIQUE INDEX pgqueuer_picked_slot_idx ON pgqueuer USING btree (entrypoint, slot) WHERE ((status = 'picked'::pgqueuer_status) AND (slot IS NOT NULL));

CREATE INDEX pgqueuer_queue_manager_id_idx ON pgqueuer USING btree (queue_manager_id) WHERE (queue_manager_id IS NOT NULL);

CREATE UNIQUE INDEX pgqueuer_statistics_unique_count ON pgqueuer_statistics USING btree (priority, date_trunc('sec'::text, timezone('UTC'::text, created)), status, entrypoint);

CREATE UNIQUE INDEX pgqueuer_unique_dedupe_key ON pgqueuer USING btree (dedupe_key) WHERE ((status = ANY (ARRAY['queued'::pgqueuer_status, 'picked'::pgqueuer_status])) AND (dedupe_key IS NOT NULL));

CREATE INDEX pgqueuer_updated_id_id1_idx ON pgqueuer USING btree (updated, id DESC) INCLUDE (id) WHERE (status = 'picked'::pgqueuer_status);

CREATE FUNCTION fn_pgqueuer_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('ch_pgqueuer', json_build_object(
        'channel', 'ch_pgqueuer', 'operation', lower(TG_OP), 'sent_at', now(),
        'table', TG_TABLE_NAME, 'type', 'table_changed_event'
    )::text);
    RETURN NULL;
END
$$;

CREATE TRIGGER tg_pgqueuer_changed AFTER INSERT ON pgqueuer
    FOR EACH ROW WHEN (NEW.execute_after <= now()) EXECUTE FUNCTION fn_pgqueuer_changed();
