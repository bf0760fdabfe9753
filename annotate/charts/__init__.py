"""Measured values in, Altair charts out, one picture a file: no store, no Streamlit, no words of their own.

Whoever draws passes the words for axes and legends in the reader's language, and says the picture in words beside it.
"""
