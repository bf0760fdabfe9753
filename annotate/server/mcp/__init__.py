"""Serve a project to an agent over the Model Context Protocol: each tool is a method of Project, its answer that of --json."""
