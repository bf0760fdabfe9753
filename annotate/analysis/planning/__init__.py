"""How many labels to ask for and what they would tell; it reads the store and draws nothing."""
