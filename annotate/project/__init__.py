"""Everything that the command does, from Python: a project is a store with what reads it and what changes it.

from annotate import Project

project = Project.open("assay.db")
project.ingest(frame)
project.judge()
project.sample(labels=200)
project.report()
"""

from annotate.project.project import Project

__all__ = ["Project"]
