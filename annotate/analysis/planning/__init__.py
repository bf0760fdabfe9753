"""Plan how many labels to ask for and what they would tell; reads the store and draws nothing."""
