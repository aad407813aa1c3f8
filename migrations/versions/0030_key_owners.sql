-- The request that holds a key: one whose reservation expired and was taken over cannot release or
-- answer it. `waited_at` is when another request with the key last waited for its answer.
ALTER TABLE idempotency_keys ADD COLUMN owner uuid, ADD COLUMN waited_at timestamptz;
