"""Altair charts of measured values, one chart a module: no store, no Streamlit, no wording of their own.

Whoever draws passes the words for axes and legends in the user's language, and says the picture in words beside it.
"""
