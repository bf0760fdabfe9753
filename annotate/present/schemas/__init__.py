"""The JSON of every answer as typed models, a file a capability; `assay schema` prints their JSON schemas."""
