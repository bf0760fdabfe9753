"""Fixtures that several test files share, by the file that holds them, each after those it imports."""

pytest_plugins = [
    "fixtures_store",
    "fixtures_label_studio",
    "fixtures_loop",
    "fixtures_app",
    "fixtures_canaries",
    "fixtures_serving",
    "fixtures_studio",
    "fixtures_local_server",
    "fixtures_fake_server",
    "fixtures_fault_proxy",
    "fixtures_faults",
    "fixtures_gold",
]
