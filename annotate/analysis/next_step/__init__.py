"""Say what to do next, a module a subject: the only place that does.

Open draws come before new ones, and nothing is asked for that is not there.
"""
