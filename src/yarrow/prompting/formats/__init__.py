"""File formats of SillyTavern: character cards in JSON and PNG, personas, chats."""
