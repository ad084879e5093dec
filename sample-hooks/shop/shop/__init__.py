"""Prices, basket and orders of the shop."""
