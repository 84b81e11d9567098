"""The kernel as tracks with slices: Perfetto and Chrome, writer."""
