"""What hsum and hythe cost, as ratios against other programs doing the same work.

Run `python -m benchmarks --help`. Every figure is a median of at least five, and its
ratio is against something measured in the same run, in turn with it, because machines
differ and are never quiet. `docs` quotes only what this package printed.
"""
