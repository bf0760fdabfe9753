"""How labelling stands; it reads draws, annotations and labels."""
