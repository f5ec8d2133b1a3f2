"""The demo game's server: a game directory that Evennia can start."""
