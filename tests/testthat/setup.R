# The same numbers in every run of a test that draws some without a seed of its own.
set.seed(1)
