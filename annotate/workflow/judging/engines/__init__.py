"""Engines of offline judging: blocks of items and judges go in, scored blocks come out, in any order.

An engine never sees the store. Whoever asks it reads the blocks and keeps the scores, in one process: a block is kept
whole or not at all, and a run that is killed loses only the blocks under way.
"""
