"""Ask the project for a tool, and answer with the lines for a reader and the JSON of the command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent

from annotate.domain.privacy.redaction import printed
from annotate.present.commands import for_store
from annotate.project import Project
from annotate.project.masking import followed
from proxy.errors import AssayError

if TYPE_CHECKING:
    from annotate.present.answer import Answer


class AnsweringTools:
    """Tools that ask a project, and what they have in common."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def _answer(self, ask: Callable[[Project], Answer[object]]) -> CallToolResult:
        """Ask, and answer with texts as redaction lets them out; what is refused is an error that says what to do."""
        path = self._project.path
        try:
            # Inside: an error has its words masked on the way out.
            with for_store(path), followed(path):
                answer = ask(self._project)
                values = cast("dict[str, object]", printed(answer.to_dict()))
                lines = answer.to_text()
        except AssayError as error:
            raise ToolError(str(error)) from error
        return CallToolResult(content=[TextContent(type="text", text=lines)], structured_content=values)
