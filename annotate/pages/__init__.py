"""The app's pages, one a file: layout over one service call."""
