# Reference values of tests of several algorithms on one data set, and of unpaired samples.
# R 4.2.2 with multcomp 1.4-22 and effectsize 0.8.3 (Debian 12):  Rscript groups_r.R > groups_r.csv
suppressMessages({library(multcomp); library(effectsize)})
options(digits = 17)
cat("name,value\n")
put <- function(name, values) {
  for (v in as.numeric(values)) cat(name, ",", format(v, digits = 17), "\n", sep = "")
}
set.seed(6) # four algorithms on ten folds, of unlike variances
x <- rbind(rnorm(10, .80, .02), rnorm(10, .82, .05), rnorm(10, .85, .01), rnorm(10, .81, .03)) +
  rep(rnorm(10, 0, .03), each = 4)
x <- round(x, 3)
put("folds", t(x))

# Mauchly, Greenhouse-Geisser, Huynh-Feldt.
fit <- lm(t(x) ~ 1)
m <- mauchly.test(fit, X = ~1)
put("mauchly", c(m$statistic, m$p.value))
a <- suppressWarnings(anova(fit, X = ~1, test = "Spherical"))
put("spherical", unlist(a[1, c("F", "num Df", "den Df", "Pr(>F)", "G-G Pr", "H-F Pr")]))
text <- capture.output(print(a))
put("epsilons", as.numeric(sub(".*: *", "", text[grep("epsilon", text)]))) # printed with few digits

# Dunnett, blocked and one-way, with integration to 1e-5.
d <- data.frame(y = c(t(x)), a = gl(4, 10), b = gl(10, 1, 40))
set.seed(1)
near <- function(glht, side) summary(glht, test = adjusted("single-step", abseps = 1e-6,
  maxpts = 1e5))$test$pvalues
for (side in c("two.sided", "less", "greater")) {
  put(paste0("dunnett_block_", side),
      near(glht(aov(y ~ a + b, d), mcp(a = "Dunnett"), alternative = side)))
  put(paste0("dunnett_plain_", side),
      near(glht(aov(y ~ a, d), mcp(a = "Dunnett"), alternative = side)))
}
put("dunnett_block_ci", t(confint(glht(aov(y ~ a + b, d), mcp(a = "Dunnett")),
  calpha = qmvt(.95, tail = "both", df = 27, corr = .5 + .5 * diag(3),
                algorithm = GenzBretz(abseps = 1e-6, maxpts = 1e5))$quantile)$confint[, 2:3]))

# Effect sizes of all algorithms: partial eta squared, Kendall's W.
e <- F_to_eta2(a[1, "F"], 3, 27, ci = .95, alternative = "two.sided")
put("eta2", unlist(e[1, c("Eta2_partial", "CI_low", "CI_high")]))
put("kendall_w", kendalls_w(t(x), ci = NULL)[1, 1])
put("kendall_w_ties", kendalls_w(round(t(x), 1), ci = NULL)[1, 1])

# Independent runs.
r <- c(212, 180, 195, 201, 188, 230, 201); s <- c(230, 224, 199, 241, 218, 201, 236, 190, 260)
put("runs_first", r); put("runs_second", s)
for (side in c("two.sided", "less", "greater")) {
  t1 <- t.test(s, r, alternative = side)
  put(paste0("welch_", side), c(t1$statistic, t1$parameter, t1$p.value, t1$conf.int))
  w <- wilcox.test(s, r, alternative = side, exact = FALSE, correct = TRUE)
  put(paste0("mannwhitney_", side), c(w$statistic, w$p.value))
}
w <- wilcox.test(s + seq_along(s) / 100, r - seq_along(r) / 100, exact = TRUE) # no ties
put("mannwhitney_exact", c(w$statistic, w$p.value))
q <- c(205, 260, 251, 233, 249)
put("runs_third", q)
k <- kruskal.test(list(r, s, q))
put("kruskal", c(k$statistic, k$parameter, k$p.value))
