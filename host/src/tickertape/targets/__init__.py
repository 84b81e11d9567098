"""Builds a firmware and starts it where it can run: as a Linux program or in an emulator."""
