"""How a house is set up: servers beside the program (local.py), and what operators of larger ones need."""
