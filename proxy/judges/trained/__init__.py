"""Light judges that a team trains on its own texts: logistic regressions over what the offline judges compare.

As in ARES (Saad-Falcon et al. 2024), pairs are made from answers that are known to be supported: positives as they are, weak
and strong negatives with another passage or answer in their place. Nothing here reads a label.
"""
