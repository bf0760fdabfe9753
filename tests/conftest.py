"""Fixtures that several test files share, by the file that holds them, each after those it imports."""

pytest_plugins = ["fixtures_store", "fixtures_label_studio", "fixtures_loop", "fixtures_app", "fixtures_studio"]
