"""The report, its limits and its caveats; it reads everything and changes nothing."""
