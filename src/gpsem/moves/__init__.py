"""One file a block of unknowns: (problem, state, noise) → state. The paper's own moves, with its slips corrected.

Random numbers come from outside (`Noise`), so that nothing here depends on how many chains run, and no rejection
sampler is compiled. Gamma draws whose shape depends on counts are a fixed-shape draw plus one term a row.
"""
