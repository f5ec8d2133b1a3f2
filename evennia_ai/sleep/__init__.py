"""What assistants do with the day while they sleep: rate, keep, link, reflect, tidy up."""
