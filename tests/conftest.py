"""Fixtures that several test files share, by the file that holds them."""

pytest_plugins = ["fixtures_label_studio", "fixtures_store"]
