"""The app's pages, a folder each: widgets, and Documents drawn by `kit`."""
