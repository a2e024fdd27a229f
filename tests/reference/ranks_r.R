# Reference values of rank tests that tests_r.R does not have.
# R 4.2.2; coin 1.4-2; PMCMRplus 1.9.10 and scmamp 0.3.2 by their source, without what they import:
# the directories R/ of the two packages are the arguments.
#   Rscript ranks_r.R PMCMRplus/R scmamp/R > ranks_r.csv
suppressMessages({library(coin); library(gmp); library(Rmpfr)})
options(digits = 17)
at <- commandArgs(TRUE)
for (f in c("frdRanks", "frdAllPairsConoverTest", "frdAllPairsExactTest", "pexactfrsd",
            "quadeAllPairsTest", "durbinTest")) source(file.path(at[1], paste0(f, ".R")))
scmamp <- new.env()
for (f in c("post_hoc.R", "scmamp.R")) for (e in parse(file.path(at[2], f))) # the rest needs more
  if (grepl("contrastEstimationMatrix <-|generatePairs <-", paste(deparse(e), collapse = "")))
    eval(e, scmamp)
cat("name,value\n")
put <- function(name, values) {
  for (v in as.numeric(values)) cat(name, ",", format(v, digits = 17), "\n", sep = "")
}
lower <- function(p) p[lower.tri(p, diag = TRUE)] # pairs (1,2), (1,3), ..., (1,k), (2,3), ...

# Scores of five algorithms on twelve data sets, without ties and with.
set.seed(4)
plain <- matrix(round(rnorm(60), 3), 12) + rep(.3 * (1:5), each = 12)
tied <- round(plain)
for (name in c("plain", "tied")) {
  x <- get(name)
  dimnames(x) <- list(1:12, letters[1:5])
  put(name, t(x))
  y <- c(-x); g <- factor(letters[col(x)]); b <- factor(row(x)) # rank 1 for the highest
  put(paste0(name, "_conover"), lower(frdAllPairsConoverTest.default(y, g, b, "none")$p.value))
  put(paste0(name, "_quade"), lower(quadeAllPairsTest.default(y, g, b, "TDist", "none")$p.value))
  if (name == "plain")
    put("plain_exact", lower(frdAllPairsExactTest.default(y, g, b, "none")$p.value))
  # Page's test: an ordered factor in friedman_test, scores as they rise
  d <- data.frame(y = c(x), g = ordered(letters[col(x)]), b = b)
  page <- friedman_test(y ~ g | b, data = d, alternative = "greater")
  put(paste0(name, "_page"), c(statistic(page), pvalue(page)))
  put(paste0(name, "_contrasts"), t(scmamp$contrastEstimationMatrix(x)))
}
# Eisinga et al. 2017: tail of the difference of rank sums for k algorithms and n data sets
for (case in list(c(100, 100, 100), c(20, 5, 5), c(30, 10, 10), c(12, 4, 40)))
  put(paste(c("eisinga", case), collapse = "_"), pexactfrsd(case[1], case[2], case[3], "pvalue"))

# Durbin: seven tasters, three of seven ice creams each (Conover 1999).
n <- NA
ice <- rbind(c(2, 3, n, 1, n, n, n), c(n, 3, 1, n, 2, n, n), c(n, n, 2, 1, n, 3, n),
             c(n, n, n, 1, 2, n, 3), c(3, n, n, n, 1, 2, n), c(n, 3, n, n, n, 1, 2),
             c(3, n, 1, n, n, n, 2))
put("durbin_ice", unlist(durbinTest.default(ice)[c("statistic", "parameter", "p.value")]))
