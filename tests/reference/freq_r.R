# Expected values of the frequentist tests, by base R. Run: Rscript freq_r.R > freq_r.csv
# (R 4.2.2, packages stats and datasets only.) One line a number: name, place, value.
show <- function(name, values) {
  values <- as.numeric(values)
  cat(sprintf("%s,%d,%.17g\n", name, seq_along(values), values), sep = "")
}
cat("name,place,value\n")

# p.adjust
p <- list(a = c(0.01, 0.04, 0.03, 0.005), b = c(0.0004, 0.2, 0.6, 0.013, 0.013, 0.9, 0.04, 0.049),
          c = c(1e-12, 1, 0.5, 0.5, 0.051, 0.02, 0.019, 0.018, 0.017, 0.016))
for (n in names(p)) {
  show(paste0("p_", n), p[[n]])
  for (m in c("bonferroni", "holm", "hochberg", "hommel", "BH"))
    show(paste0("padjust_", n, "_", m), p.adjust(p[[n]], m))
}

# friedman.test, quade.test; Hollander & Wolfe 1973, p. 140 (22 rounding times of three methods)
rounding <- matrix(c(5.40, 5.50, 5.55, 5.85, 5.70, 5.75, 5.20, 5.60, 5.50, 5.55, 5.50, 5.40,
  5.90, 5.85, 5.70, 5.45, 5.55, 5.60, 5.40, 5.40, 5.35, 5.45, 5.50, 5.35, 5.25, 5.15, 5.00,
  5.85, 5.80, 5.70, 5.25, 5.20, 5.10, 5.65, 5.55, 5.45, 5.60, 5.35, 5.45, 5.05, 5.00, 4.95,
  5.50, 5.50, 5.40, 5.45, 5.55, 5.50, 5.55, 5.55, 5.35, 5.45, 5.50, 5.55, 5.50, 5.45, 5.25,
  5.65, 5.60, 5.40, 5.70, 5.65, 5.55, 6.30, 6.30, 6.25), nrow = 22, byrow = TRUE)
show("rounding", t(rounding))
f <- friedman.test(rounding); show("friedman_rounding", c(f$statistic, f$parameter, f$p.value))
q <- quade.test(rounding); show("quade_rounding", c(q$statistic, q$parameter, q$p.value))
q <- quade.test(round(100 * rounding)); show("quade_rounding_int", c(q$statistic, q$parameter, q$p.value))

# aov and TukeyHSD, one-way (PlantGrowth, InsectSprays) and blocked (warpbreaks as 3 x 18)
x <- PlantGrowth$weight; g <- PlantGrowth$group
a <- summary(aov(x ~ g))[[1]]; show("plant", x); show("plant_aov", c(a[1, ], a[2, 1:3]))
t1 <- TukeyHSD(aov(x ~ g))$g; show("plant_tukey", t(t1))
t9 <- TukeyHSD(aov(x ~ g), conf.level = 0.9)$g; show("plant_tukey90", t(t9))
w <- matrix(warpbreaks$breaks, nrow = 3, byrow = TRUE)
d <- data.frame(y = as.vector(t(w)), alg = gl(3, 18), fold = factor(rep(1:18, 3)))
m <- aov(y ~ alg + fold, d); a <- summary(m)[[1]]
show("warp", t(w)); show("warp_aov", c(a[1, ], a[2, ], a[3, 1:3]))
show("warp_tukey", t(TukeyHSD(m, "alg")$alg))
# unequal groups: Tukey-Kramer
u <- data.frame(y = c(3.1, 2.9, 4.0, 3.3, 5.1, 4.4, 4.9, 2.2, 2.0, 2.8, 1.9, 2.6, 2.4),
                g = factor(rep(1:3, c(4, 3, 6))))
show("kramer_tukey", t(TukeyHSD(aov(y ~ g, u))$g))

# t.test, wilcox.test, binom.test
s <- sleep$extra[11:20] - sleep$extra[1:10]
show("sleep", s)
for (alt in c("two.sided", "less", "greater")) {
  r <- t.test(s, alternative = alt)
  show(paste0("t_", alt), c(r$statistic, r$parameter, r$p.value, r$conf.int))
}
z <- c(0.35, -0.21, 0.62, 0.18, -0.09, 0.74, 0.41, -0.33, 0.52, 0.13, 0.27, 0.88)
show("z", z)
for (alt in c("two.sided", "less", "greater")) {
  r <- wilcox.test(z, conf.int = TRUE, exact = TRUE, alternative = alt)
  show(paste0("wilcox_", alt), c(r$statistic, r$p.value, r$estimate, r$conf.int))
  r <- binom.test(9, 12, alternative = alt)
  show(paste0("binom_", alt), c(r$p.value, r$conf.int))
}
r <- wilcox.test(z, conf.int = TRUE, exact = TRUE, conf.level = 0.8)
show("wilcox_80", r$conf.int)

# studentized range with infinite degrees of freedom
q <- c(0.5, 1, 2, 3, 3.5, 4, 5, 6)
for (k in c(2, 3, 10, 50)) show(paste0("ptukey_", k), ptukey(q, k, Inf, lower.tail = FALSE))
for (k in c(2, 3, 5, 10, 20)) show(paste0("qtukey_", k), qtukey(0.95, k, Inf))
