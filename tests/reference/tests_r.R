# Reference values of the frequentist tests that were added after freq_r.R.
# R 4.2.2 with coin 1.4-2, pROC 1.18.0, effectsize, car, multcomp (Debian 12):
#   Rscript tests_r.R > tests_r.csv
suppressMessages({library(coin)})
options(digits = 17)
cat("name,value\n")
put <- function(name, values) {
  for (v in as.numeric(values)) cat(name, ",", format(v, digits = 17), "\n", sep = "")
}

# -- signed ranks: ties and zeros, exact and by the normal approximation ---------------------------
signed <- function(name, d, sides = c("two.sided", "less", "greater"), distribution = "exact") {
  put(name, d)
  d <- round(d, 10) # coin compares floating-point numbers as they are
  for (zeros in c("Wilcoxon", "Pratt")) for (side in sides) {
    test <- wilcoxsign_test(d ~ rep(0, length(d)), distribution = distribution,
                            zero.method = zeros, alternative = side)
    put(paste(name, zeros, side, sep = "_"), pvalue(test))
  }
}
signed("demsar", c(.005, -.008, .017, .033, .006, -.005, .007, 0, .063, 0, .022, .047, .009, .021))
set.seed(1)
signed("signed40", round(rnorm(40, .4, 1), 1))
set.seed(2)
signed("signed70", round(rnorm(70, .2, 1), 1), distribution = "asymptotic")
