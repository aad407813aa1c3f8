-- A client that posts a message id again replaces the turn that the message began.
CREATE INDEX ix_messages_client_id ON messages (session_id, (metadata ->> 'client_id'))
    WHERE metadata ? 'client_id';
