"""What runs cost, in points.

The analyst's runs cost nothing, the storyteller's what `YARROW_STORYTELLER_PRICE` says.
`Engine.price` says which single runs are free. A new account starts with 100 points, from the
trigger that `accounts/signup.py` names.
"""

RUN_PRICE = 20
"""What a run of the diviner or the assistant costs (seed 003); failed and offline runs are free."""
