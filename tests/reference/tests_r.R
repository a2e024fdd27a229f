# Reference values of the frequentist tests that were added after freq_r.R.
# R 4.2.2 with coin 1.4-2, pROC 1.18.0, effectsize 0.8.3 (Debian 12):
#   Rscript tests_r.R > tests_r.csv
suppressMessages({library(coin)})
options(digits = 17)
cat("name,value\n")
put <- function(name, values) {
  for (v in as.numeric(values)) cat(name, ",", format(v, digits = 17), "\n", sep = "")
}

# Signed ranks: ties and zeros, exact and by the normal approximation.
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

# Equivalence: two one-sided t tests, with c = 1/n + rho/(1 - rho) by hand, and signed ranks.
tost <- function(name, d, low, high, rho = 0) {
  put(name, d)
  n <- length(d)
  se <- sqrt((1 / n + rho / (1 - rho)) * var(d))
  put(paste0(name, "_t"), c(pt((mean(d) - low) / se, n - 1, lower.tail = FALSE),
                            pt((mean(d) - high) / se, n - 1)))
  if (rho == 0)
    put(paste0(name, "_ttest"), c(t.test(d, mu = low, alternative = "greater")$p.value,
                                  t.test(d, mu = high, alternative = "less")$p.value))
  shift <- function(by, side) pvalue(wilcoxsign_test(round(d - by, 10) ~ rep(0, n),
    distribution = "exact", zero.method = "Wilcoxon", alternative = side))
  put(paste0(name, "_signed"), c(shift(low, "greater"), shift(high, "less")))
}
tost("tost_demsar", c(.005, -.008, .017, .033, .006, -.005, .007, 0, .063, 0, .022, .047, .009,
                      .021), -.03, .03)
tost("tost_one", c(.012, -.004, .021, .008, .015, .003, .011, -.002), -.01, .02, rho = .125)

# Areas under ROC curves: DeLong's intervals and paired test.
suppressMessages(library(pROC))
areas <- function(name, y, a, b) {
  put(paste0(name, "_y"), y); put(paste0(name, "_a"), a); put(paste0(name, "_b"), b)
  ra <- roc(y, a, direction = "<", quiet = TRUE); rb <- roc(y, b, direction = "<", quiet = TRUE)
  put(paste0(name, "_ci_a"), ci.auc(ra, method = "delong"))
  put(paste0(name, "_ci_b"), ci.auc(rb, method = "delong", conf.level = .9))
  for (side in c("two.sided", "less", "greater")) {
    test <- roc.test(rb, ra, method = "delong", paired = TRUE, alternative = side)
    put(paste(name, side, sep = "_"), c(test$statistic, test$p.value))
  }
}
set.seed(3)
y <- rep(c(0, 1, 1, 0, 1), 12)
areas("roc60", y, round(rnorm(60) + .8 * y, 1), round(rnorm(60) + 1.3 * y, 1))
areas("roc12", rep(c(0, 1), 6), c(1, 3, 2, 2, 4, 5, 1, 4, 3, 6, 2, 2), c(2, 4, 1, 3, 2, 6, 3, 5, 1, 4, 2, 5))

# Items: McNemar's test (chi-square, exact, mid-p) and Cochran's Q.
mcnemar <- function(name, b, c) {
  t <- matrix(c(40, b, c, 25), 2)
  put(paste0(name, "_chi2"), unlist(mcnemar.test(t, correct = FALSE)[c("statistic", "p.value")]))
  put(paste0(name, "_corrected"), unlist(mcnemar.test(t, correct = TRUE)[c("statistic", "p.value")]))
  for (side in c("two.sided", "less", "greater")) {
    exact <- binom.test(c, b + c, alternative = side) # c: items of the second alone
    put(paste(name, side, sep = "_"), c(exact$p.value, exact$conf.int))
  }
  # mid-p, Fagerland, Lydersen & Laake 2013: the exact p less the point probability
  put(paste0(name, "_midp"), binom.test(min(b, c), b + c)$p.value - dbinom(min(b, c), b + c, .5))
}
mcnemar("items1", 5, 14); mcnemar("items2", 1, 3); mcnemar("items3", 31, 22)
set.seed(5)
correct <- matrix(rbinom(80, 1, rep(c(.5, .6, .75, .8), each = 20)), 20)
put("cochran_items", t(correct))
# Cochran's Q is Friedman's chi-square with ties on 0 and 1
put("cochran", unlist(friedman.test(correct)[c("statistic", "parameter", "p.value")]))

# Effect sizes and their intervals (package effectsize).
suppressMessages(library(effectsize))
effect <- function(name, found) put(name, unlist(found[1, c(1, ncol(found) - 1, ncol(found))]))
x <- c(.005, -.008, .017, .033, .006, -.005, .007, 0, .063, 0, .022, .047, .009, .021)
effect("d_demsar", cohens_d(x, ci = .95)); effect("d_demsar90", cohens_d(x, ci = .9))
effect("rb_demsar", rank_biserial(x[x != 0], ci = .95))
a <- c(212, 180, 195, 201, 188, 230); b <- c(230, 224, 199, 241, 218, 201, 236)
effect("delta_runs", rank_biserial(b, a, ci = .95))

# DeLong over folds: three test sets of fifteen cases each, mean area, independent folds.
set.seed(7)
y <- rep(c(0, 1, 1, 0, 1), 9)
a <- round(rnorm(45) + .6 * y, 1); b <- round(a + rnorm(45) + .5 * y, 1)
put("rocfolds_y", y); put("rocfolds_a", a); put("rocfolds_b", b)
rocs <- lapply(split(1:45, rep(1:3, each = 15)), function(i)
  list(a = roc(y[i], a[i], direction = "<", quiet = TRUE), b = roc(y[i], b[i], direction = "<", quiet = TRUE)))
gap <- mean(sapply(rocs, function(r) auc(r$b) - auc(r$a)))
error <- sqrt(sum(sapply(rocs, function(r) var(r$a) + var(r$b) - 2 * cov(r$a, r$b)))) / 3
put("rocfolds_test", c(gap, error, 2 * pnorm(-abs(gap / error))))

# One test set and the scores of three seeds each: variance of the difference of mean areas.
y <- rep(c(0, 1, 1, 0, 1), 4)
scores <- round(matrix(rnorm(120), 20) + y * rep(c(.5, 1), each = 60), 1) # columns: a1 a2 a3 b1 b2 b3
put("rocseeds_y", y); put("rocseeds_scores", t(scores))
rocs <- apply(scores, 2, function(s) roc(y, s, direction = "<", quiet = TRUE))
w <- rep(c(-1, 1) / 3, each = 3)
S <- outer(1:6, 1:6, Vectorize(function(i, j) if (i == j) var(rocs[[i]]) else cov(rocs[[i]], rocs[[j]])))
put("rocseeds_test", c(sum(w * sapply(rocs, auc)), sqrt(drop(w %*% S %*% w))))
