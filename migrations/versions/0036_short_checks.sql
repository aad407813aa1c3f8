-- PostgreSQL parses the stored expression of each CHECK of a table anew for each statement that
-- writes to it, which took a fifth of its CPU for a run. These say what they said before in fewer
-- nodes: a literal array instead of ARRAY[…], least() instead of a comparison for each column, and
-- no IS NULL where NULL passes anyway.
ALTER TABLE sessions
    DROP CONSTRAINT ck_sessions_non_negative,
    DROP CONSTRAINT ck_sessions_session_type,
    DROP CONSTRAINT ck_sessions_status,
    ADD CONSTRAINT ck_sessions_non_negative
        CHECK (least(message_count, total_tokens) >= 0 AND total_cost >= '0'::numeric),
    ADD CONSTRAINT ck_sessions_session_type CHECK (session_type = ANY ('{chat,automation}')),
    ADD CONSTRAINT ck_sessions_status
        CHECK (status = ANY ('{pending,running,completed,failed}'));

ALTER TABLE messages
    DROP CONSTRAINT ck_messages_latency,
    DROP CONSTRAINT ck_messages_non_negative,
    DROP CONSTRAINT ck_messages_role,
    ADD CONSTRAINT ck_messages_latency CHECK (latency_ms >= 0),
    ADD CONSTRAINT ck_messages_non_negative
        CHECK (least(input_tokens, output_tokens) >= 0 AND cost >= '0'::numeric),
    ADD CONSTRAINT ck_messages_role CHECK (role = ANY ('{user,assistant,system,tool}'));

ALTER TABLE turns
    DROP CONSTRAINT ck_turns_live,
    DROP CONSTRAINT ck_turns_status,
    ADD CONSTRAINT ck_turns_live CHECK (NOT (live AND status = ANY ('{superseded,failed}'))),
    ADD CONSTRAINT ck_turns_status
        CHECK (status = ANY ('{open,answered,failed,superseded}'));

ALTER TABLE runs
    DROP CONSTRAINT ck_runs_ended,
    DROP CONSTRAINT ck_runs_key,
    DROP CONSTRAINT ck_runs_status,
    ADD CONSTRAINT ck_runs_ended
        CHECK ((status = ANY ('{queued,running}')) = (ended_at IS NULL)),
    ADD CONSTRAINT ck_runs_key CHECK (key <> '' AND length(key) <= 128),
    ADD CONSTRAINT ck_runs_status
        CHECK (status = ANY ('{queued,running,succeeded,failed,cancelled}'));

ALTER TABLE user_points
    DROP CONSTRAINT ck_user_points_non_negative,
    ADD CONSTRAINT ck_user_points_non_negative CHECK (
        least(balance, frozen_balance, lifetime_earned, lifetime_spent, version) >= 0
    );

ALTER TABLE points_ledger
    DROP CONSTRAINT ck_points_ledger_biz_type,
    DROP CONSTRAINT ck_points_ledger_change_type,
    DROP CONSTRAINT ck_points_ledger_direction,
    DROP CONSTRAINT ck_points_ledger_direction_coupling,
    ADD CONSTRAINT ck_points_ledger_biz_type CHECK (biz_type = 'chat'),
    ADD CONSTRAINT ck_points_ledger_change_type
        CHECK (change_type = ANY ('{register,consume,grant,adjust}')),
    ADD CONSTRAINT ck_points_ledger_direction CHECK (direction = ANY ('{1,-1}')),
    ADD CONSTRAINT ck_points_ledger_direction_coupling CHECK (
        CASE direction
            WHEN 1 THEN change_type <> 'consume'
            WHEN -1 THEN change_type <> ALL ('{register,grant}')
            ELSE FALSE
        END
    );
