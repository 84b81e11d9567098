"""Images of a target's memory: from a debugger, a crash dump or an emulator."""
