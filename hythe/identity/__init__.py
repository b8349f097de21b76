"""Who acts: agents and their capabilities, credentials, and what a call proves."""
