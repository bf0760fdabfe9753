"""The subcommands, a stage of the loop a file. Heavy imports happen inside the command that needs them."""
