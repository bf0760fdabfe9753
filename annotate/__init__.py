"""What people say of an answer, and where everything is kept: every door to the outside is here."""
