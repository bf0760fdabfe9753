"""The class of the groups `assay gold`, `labels`, `draws`, `rule` and `scores`."""

from __future__ import annotations

from difflib import get_close_matches

import click


class CommandGroup(click.Group):
    """A group that lists its commands where one is asked for that it does not have."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; click itself suggests a name that is spelled much alike, so the list is for others."""
        name = args[0]
        is_unknown = not name.startswith("-") and name not in self.commands
        if is_unknown and not ctx.resilient_parsing and not get_close_matches(name, self.commands):
            ctx.fail(f"No such command {name!r}. `{ctx.command_path}` has: {', '.join(sorted(self.commands))}.")
        return super().resolve_command(ctx, args)
