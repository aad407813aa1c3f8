-- Databases, files and object stores of an account; the address with its credentials is encrypted
-- with YARROW_SECRETS_KEY.
CREATE TABLE data_sources (
    id           uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    name         text NOT NULL,
    kind         text NOT NULL,
    address      text NOT NULL,
    secret       bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    catalogue_at timestamptz,
    table_count  integer NOT NULL DEFAULT 0,
    is_truncated boolean NOT NULL DEFAULT false,
    CONSTRAINT ux_data_sources UNIQUE (account_id, name)
);

-- The tables of a source as it listed them, so that they are searched without a query there.
CREATE TABLE source_tables (
    source_id    uuid NOT NULL REFERENCES data_sources (id) ON DELETE CASCADE,
    schema_name  text NOT NULL,
    name         text NOT NULL,
    is_view      boolean NOT NULL,
    comment      text NOT NULL,
    row_estimate bigint,
    columns      jsonb NOT NULL,
    words        text NOT NULL,
    PRIMARY KEY (source_id, schema_name, name)
);

-- Of a table that came from a source: the source, the query, when, and whether it was cut.
ALTER TABLE datasets ADD COLUMN source_metadata jsonb;
