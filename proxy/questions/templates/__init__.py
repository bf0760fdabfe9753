"""Ask for facts that sentences state in plain patterns: years, measures, counts, prices, times, places and named attributes.

A pattern asks only where a person would recognise a question with one checkable answer; every other sentence is left alone.
"""
