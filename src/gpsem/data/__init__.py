"""Files and frames → a matrix of indicators with its gaps, an account of both, and a scaling with its inverse."""
