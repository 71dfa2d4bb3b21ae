"""Pictures of a fit."""
