"""The material of a prompt: recalled memories and facts about the surroundings."""
