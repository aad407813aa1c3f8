-- The first floor of a branch can be taken away, too: then no turn is left that the branch ends with.
ALTER TABLE turns DROP CONSTRAINT ck_turns_superseded;
ALTER TABLE turns ADD CONSTRAINT ck_turns_superseded
    CHECK (superseded_by IS NULL OR status = 'superseded');
