# Expected values of the multivariate tests, by R. Run: Rscript multivariate_r.R > multivariate_r.csv
# (R 4.2.2, packages stats, datasets and MASS.) One line a number: name, place, value.
show <- function(name, values) {
  values <- as.numeric(values)
  cat(sprintf("%s,%d,%.17g\n", name, seq_along(values), values), sep = "")
}
cat("name,place,value\n")
tests <- c("Wilks", "Pillai", "Hotelling-Lawley", "Roy")

# Confusion counts of four classifiers on eight folds of 20 positives and 30 negatives, made up:
# tp, fp and milliseconds; fn and tn follow from tp and fp.
tp <- c(15, 17, 14, 16, 18, 15, 13, 16,  16, 18, 14, 17, 18, 17, 14, 18,
        12, 15, 13, 14, 15, 11, 12, 14,  15, 16, 15, 16, 17, 16, 12, 17)
fp <- c(3, 5, 2, 4, 4, 6, 3, 5,  6, 7, 4, 6, 9, 8, 5, 7,  2, 3, 3, 2, 4, 3, 1, 4,  4, 5, 2, 5, 5, 6, 2, 6)
ms <- c(31, 28, 35, 30, 29, 33, 30, 34,  40, 38, 45, 41, 37, 42, 39, 44,
        25, 27, 22, 26, 24, 28, 23, 25,  33, 29, 36, 30, 31, 35, 28, 36)
y <- cbind(tp, fp, ms); alg <- gl(4, 8); fold <- factor(rep(1:8, 4))
show("counts", t(y))
one <- manova(y ~ alg); blocked <- manova(y ~ alg + fold)
for (t in tests) {
  show(paste0("oneway_", t), summary(one, test = t)$stats["alg", ])
  show(paste0("blocked_", t), summary(blocked, test = t)$stats["alg", ])
}
show("oneway_eigenvalues", summary(one)$Eigenvalues["alg", ])
show("blocked_eigenvalues", summary(blocked)$Eigenvalues["alg", ])
show("blocked_H", summary(blocked)$SS$alg); show("blocked_E", summary(blocked)$SS$Residuals)
show("blocked_df", c(4 - 1, df.residual(blocked)))
# discriminant functions, of unit variance within groups
show("lda_scaling", MASS::lda(y, alg)$scaling)
show("lda_share", {v <- MASS::lda(y, alg)$svd^2; v / sum(v)})
# rank two: all four counts
four <- cbind(tp, fn = 20 - tp, fp, tn = 30 - fp)
for (t in tests)
  show(paste0("two_", t), summary(manova(four[, c("tp", "fp")] ~ alg + fold), test = t)$stats["alg", ])

# Hotelling: the trace of a test of the intercept is T2/(n - 1), of two groups T2/(n - 2)
for (i in 1:3) for (j in (i + 1):4) {
  d <- y[alg == j, ] - y[alg == i, ]
  s <- summary(manova(d ~ 1), test = "Hotelling-Lawley", intercept = TRUE)$stats["(Intercept)", ]
  show(sprintf("paired_%d%d", i, j), c(s["Hotelling-Lawley"] * 7, s[3:6]))
  two <- alg %in% c(i, j)
  s <- summary(manova(y[two, ] ~ factor(alg[two])), test = "Hotelling-Lawley")$stats[1, ]
  show(sprintf("two_sample_%d%d", i, j), c(s["Hotelling-Lawley"] * 14, s[3:6]))
}

# The iris data as three samples; linear hypotheses of the dimension by the roots
s <- summary(manova(as.matrix(iris[, 1:4]) ~ iris$Species), test = "Wilks")
show("iris_wilks", s$stats[1, ]); show("iris_eigenvalues", s$Eigenvalues[1, ])
show("iris", t(as.matrix(iris[, 1:4])))
show("iris_scaling", MASS::lda(as.matrix(iris[, 1:4]), iris$Species)$scaling)

# p = 1
show("anova_tp", unlist(summary(aov(tp ~ alg + fold))[[1]][1, ]))
show("t_tp", {r <- t.test(tp[alg == 2], tp[alg == 1], paired = TRUE); c(r$statistic, r$p.value)})

# adjusted p-values of the paired tests
p <- apply(combn(4, 2), 2, function(k) {
  d <- y[alg == k[2], ] - y[alg == k[1], ]
  summary(manova(d ~ 1), test = "Wilks", intercept = TRUE)$stats["(Intercept)", 6]
})
show("paired_p", p); show("paired_bonferroni", p.adjust(p, "bonferroni")); show("paired_holm", p.adjust(p, "holm"))

# canonical variates: analysis of variance of the first
z <- y %*% MASS::lda(y, alg)$scaling[, 1]
show("first_anova", unlist(summary(aov(z ~ alg))[[1]][1, ]))
tk <- TukeyHSD(aov(z ~ alg))$alg; show("first_tukey_p", tk[, "p adj"])
