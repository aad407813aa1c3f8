-- The answer of a POST by its account's Idempotency-Key; without a status the request is running.
CREATE TABLE idempotency_keys (
    account_id  uuid NOT NULL,
    key         text NOT NULL,
    digest      bytea NOT NULL,
    reserved_at timestamptz NOT NULL DEFAULT now(),
    status      integer,
    media_type  text,
    body        bytea,
    PRIMARY KEY (account_id, key),
    CONSTRAINT ck_idempotency_keys_answer CHECK ((status IS NULL) = (body IS NULL))
);
CREATE INDEX ix_idempotency_keys_reserved ON idempotency_keys (reserved_at);
