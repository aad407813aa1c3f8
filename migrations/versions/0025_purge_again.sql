-- The first sweeps of deleted sessions left their settings, metadata, model bindings and branch
-- names. The next sweep finds these sessions again, and removes what is left of them.
UPDATE sessions SET purged_at = NULL WHERE purged_at IS NOT NULL;
