"""Memories: ranking, making room, gossip, relationships, forgetting."""
