-- Digests of tokens that their owners signed out, until the tokens expire by themselves.
CREATE TABLE auth.signed_out_tokens (
    digest     bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL,
    CONSTRAINT ck_signed_out_tokens_digest CHECK (length(digest) = 32)
);
CREATE INDEX ix_signed_out_tokens_expiry ON auth.signed_out_tokens (expires_at);
