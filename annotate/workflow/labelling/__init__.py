"""Send draws to Label Studio and fetch annotations. Both can be repeated at any time, and nothing doubles."""
