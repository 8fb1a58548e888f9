"""Rankers that judge a message by what stands around it and by who asks."""
