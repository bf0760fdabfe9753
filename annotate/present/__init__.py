"""Present results to users and machines; it may use `analysis` and `domain`, computes and changes nothing."""
