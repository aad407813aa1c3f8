-- What is known of a table; its rows are a Parquet file named after its id. A row is written
-- before its file and deleted after it, so that the sweep knows of every file there is.
CREATE TABLE datasets (
    id              uuid PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES auth.users (id),
    workspace       text NOT NULL,
    name            text NOT NULL,
    original_name   text NOT NULL,
    source_filename text,
    source_type     text NOT NULL,
    columns         json NOT NULL DEFAULT '[]',
    sample          json NOT NULL DEFAULT '[]',
    shape           json,
    row_count       bigint,
    bytes           bigint,
    live            boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL DEFAULT now(),
    touched_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_datasets_workspace CHECK (length(workspace) BETWEEN 1 AND 256),
    CONSTRAINT ck_datasets_name CHECK (length(name) BETWEEN 1 AND 120),
    CONSTRAINT ck_datasets_source CHECK (source_type IN ('upload', 'data_loader', 'derived')),
    CONSTRAINT ck_datasets_whole CHECK (NOT live OR (row_count IS NOT NULL AND bytes IS NOT NULL))
);
CREATE UNIQUE INDEX ux_datasets_name ON datasets (account_id, workspace, name) WHERE live;
CREATE INDEX ix_datasets_leftover ON datasets (touched_at) WHERE NOT live;
COMMENT ON COLUMN datasets.live IS 'false before the file is whole and after the table was deleted';
COMMENT ON COLUMN datasets.sample IS 'the first rows, so that a list of tables reads no file';
COMMENT ON COLUMN datasets.shape IS 'distinct and missing values by column; null until asked for';
