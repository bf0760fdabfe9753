"""Results in, what people and machines read out; it may use `analysis` and `domain`, computes and changes nothing."""
