"""Stories: sessions together with what the library binds to them."""
