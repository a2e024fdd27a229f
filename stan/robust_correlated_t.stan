// Bayesian robust correlated t test for two algorithms on one data set: the paired "BEST" model
// (Kruschke 2013, J. Experimental Psychology: General 142:573-603) with correlated folds.
//
// The model. The n differences of scores (second minus first) share training data:
//
//   x_j = delta + sigma (sqrt(rho) z_0 + sqrt(1 - rho) z_j),   z_0, ..., z_n ~ StudentT(nu, 0, 1).
//
// This is x = delta + sigma L z with L = [sqrt(rho) 1 | sqrt(1 - rho) I], L L' the matrix of ones
// on the diagonal and rho off it: two differences correlate at rho, whatever nu. Unlike a
// triangular or a symmetric root, this one keeps what is odd about one fold within that fold, so
// that an outlier does not leak into the others, and the order of the folds does not matter.
//
// Sampling. z_0 shifts all folds alike: the data tell of centre = delta + sigma sqrt(rho) z_0 only,
// which has a flat prior like delta. The sampler moves (centre, sigma, nu), and delta is drawn
// afterwards. As nu grows this becomes the correlated t test (Corani & Benavoli 2015):
// p(delta, sigma) is proportional to 1 / sigma in both.
data {
  int<lower=2> n;                      // differences
  vector[n] x;                         // their values
  real<lower=0, upper=1> rho;          // correlation of two differences
  real<lower=0> sigma_lower;           // least sigma, far below where the data put it
  real<lower=sigma_lower> sigma_upper; // largest sigma, far above
  real<lower=0> nu_mean;               // prior mean of nu - 1; 29 in BEST
}
parameters {
  real centre;                         // what the differences scatter about
  real<lower=log(sigma_lower), upper=log(sigma_upper)> log_sigma; // their spread
  real<lower=0> nu_raw;                // nu - 1
}
transformed parameters {
  real sigma = exp(log_sigma);
  real nu = 1 + nu_raw;
}
model {
  nu_raw ~ exponential(1 / nu_mean);
  x ~ student_t(nu, centre, sigma * sqrt(1 - rho));
}
generated quantities {
  real delta = centre - sigma * sqrt(rho) * student_t_rng(nu, 0, 1);
}
