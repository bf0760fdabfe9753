"""Report the state of labelling; reads draws, annotations and labels."""
