-- Whether a memory counts depends on the branches that were made after its turn.
CREATE INDEX ix_branches_forked_after ON branches (forked_after_turn)
    WHERE forked_after_turn IS NOT NULL;
