-- Pictures that users send. A row is written before the file's first byte, so that the sweep
-- knows of every file there is; it gets its size and its session when the file is whole.
CREATE TABLE attachments (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES auth.users (id),
    session_id uuid REFERENCES sessions (id) ON DELETE SET NULL,
    path       text NOT NULL,
    mime_type  text NOT NULL,
    bytes      integer,
    message_id uuid REFERENCES messages (id) ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ux_attachments_path UNIQUE (path),
    CONSTRAINT ck_attachments_path CHECK (starts_with(path, 'agent-inputs/' || account_id || '/')),
    CONSTRAINT ck_attachments_mime_type CHECK (starts_with(mime_type, 'image/')),
    CONSTRAINT ck_attachments_bytes CHECK (bytes BETWEEN 1 AND 5 * 1024 * 1024),
    CONSTRAINT ck_attachments_used_whole CHECK (message_id IS NULL OR bytes IS NOT NULL)
);
CREATE INDEX ix_attachments_unused ON attachments (created_at) WHERE message_id IS NULL;
CREATE INDEX ix_attachments_message ON attachments (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX ix_attachments_session ON attachments (session_id);
COMMENT ON COLUMN attachments.bytes IS 'null until the upload is whole';
COMMENT ON COLUMN attachments.message_id IS 'the first message that shows it; null: swept one day';
