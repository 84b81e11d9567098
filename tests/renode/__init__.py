"""Tests of the Renode support that need no Renode."""
