"""Build the report, its limits and its caveats; reads everything and changes nothing."""
