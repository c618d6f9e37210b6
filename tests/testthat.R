library(testthat)
library(gpugeo)

test_check("gpugeo")
