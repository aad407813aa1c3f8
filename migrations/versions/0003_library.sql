-- Presets, worldbooks, regex profiles, characters and personas: one table, one rule of versions.
-- A version is never changed; editing an asset appends one and moves the head.
CREATE TABLE assets (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    kind       text NOT NULL,
    name       text NOT NULL,
    version    integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CONSTRAINT ck_assets_kind CHECK (
        kind IN ('preset', 'worldbook', 'regex_profile', 'character', 'persona')
    ),
    CONSTRAINT ck_assets_name CHECK (name ~ '\S'),
    CONSTRAINT ck_assets_version CHECK (version > 0)
);
CREATE INDEX ix_assets_account ON assets (account_id, kind) WHERE deleted_at IS NULL;
COMMENT ON COLUMN assets.deleted_at IS 'deleted assets stay: sessions and snapshots name them';

CREATE TABLE asset_versions (
    id           uuid PRIMARY KEY,
    asset_id     uuid NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    version      integer NOT NULL,
    content      json NOT NULL,
    content_hash text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ux_asset_versions UNIQUE (asset_id, version),
    CONSTRAINT ck_asset_versions_version CHECK (version > 0)
);
COMMENT ON COLUMN asset_versions.content IS
    'json, not jsonb: an export gives back every field in the order it came';

-- The picture of a card, without the text chunks that carried its data.
CREATE TABLE asset_pictures (
    asset_id uuid PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
    png      bytea NOT NULL
);

-- What a storytelling session is bound to; a session without a row is bound to nothing.
CREATE TABLE session_bindings (
    session_id            uuid PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    archived_at           timestamptz,
    character_id          uuid REFERENCES assets (id),
    character_version     integer,
    character_sync_policy text NOT NULL DEFAULT 'pin',
    persona_id            uuid REFERENCES assets (id),
    preset_id             uuid REFERENCES assets (id),
    preset_version        integer,
    worldbook_id          uuid REFERENCES assets (id),
    worldbook_version     integer,
    regex_profile_id      uuid REFERENCES assets (id),
    regex_profile_version integer,
    prompt_mode           text,
    model                 json NOT NULL DEFAULT '{}',
    policy                json NOT NULL DEFAULT '{}',
    metadata              json NOT NULL DEFAULT '{}',
    CONSTRAINT ck_session_bindings_sync CHECK (
        character_sync_policy IN ('pin', 'manual', 'force')
    ),
    CONSTRAINT ck_session_bindings_mode CHECK (
        prompt_mode IN ('compat_strict', 'compat_plus', 'native')
    )
);
COMMENT ON COLUMN session_bindings.preset_version IS 'null: follow the head';
COMMENT ON COLUMN session_bindings.policy IS 'the session''s own layer of the prompt policy';

-- Values that macros and tools read and write. scope_id: 'global', or the id of the session,
-- branch, turn or message.
CREATE TABLE variables (
    account_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
    scope      text NOT NULL,
    scope_id   text NOT NULL,
    session_id uuid REFERENCES sessions (id) ON DELETE CASCADE,
    key        text NOT NULL,
    value      json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, scope, scope_id, key),
    CONSTRAINT ck_variables_scope CHECK (scope IN ('global', 'chat', 'branch', 'floor', 'page')),
    CONSTRAINT ck_variables_session CHECK ((scope = 'global') = (session_id IS NULL))
);
CREATE INDEX ix_variables_session ON variables (session_id);

-- Alternates of one utterance: greetings to choose from, swipes of an imported chat. Pages of one
-- slot carry its first page's id; a message without alternates has no slot, and costs no index.
ALTER TABLE messages
    ADD COLUMN page_no integer NOT NULL DEFAULT 0,
    ADD COLUMN page_active boolean NOT NULL DEFAULT true,
    ADD COLUMN page_slot uuid,
    ADD CONSTRAINT ck_messages_page_no CHECK (page_no >= 0),
    ADD CONSTRAINT ck_messages_page_slot CHECK (
        page_slot IS NOT NULL OR (page_active AND page_no = 0)
    );
CREATE UNIQUE INDEX ux_messages_active_page ON messages (page_slot)
    WHERE page_active AND page_slot IS NOT NULL;
CREATE UNIQUE INDEX ux_messages_page_no ON messages (page_slot, page_no)
    WHERE page_slot IS NOT NULL;

-- A branch keeps the turn it was forked after, also when that turn is replaced later. A deleted
-- one gives its name free and stays, with its turns, for the ledger of their runs.
ALTER TABLE branches
    ADD COLUMN forked_after_turn uuid REFERENCES turns (id),
    ADD COLUMN deleted_at timestamptz;
