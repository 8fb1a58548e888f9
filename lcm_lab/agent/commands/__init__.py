"""The subcommands of ``lcm-lab``: they parse, call the library, print."""
