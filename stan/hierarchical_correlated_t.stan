// Bayesian hierarchical correlated t test for two algorithms on q data sets
// (Corani, Benavoli, Demsar, Mangili & Zaffalon 2017, Machine Learning 106:1817-1837, section 3).
//
// The model. Row i holds n_i differences of scores (second minus first) that overlapping training
// sets correlate at rho_i:
//
//   x_i     ~ MVN(1 delta_i, Sigma_i),  Sigma_i: sigma_i^2 on the diagonal, rho_i sigma_i^2 off it
//   delta_i ~ StudentT(nu, delta0, sigma0)
//   sigma_i ~ Uniform(0, sigma_upper)
//   delta0  ~ Uniform(-delta0_bound, delta0_bound)
//   sigma0  ~ Uniform(0, sigma0_upper)
//   nu - nu_offset ~ Gamma(alpha, beta),  alpha ~ Uniform(alpha_lower, alpha_upper),
//                                         beta  ~ Uniform(beta_lower, beta_upper)
//
// Sufficient statistics. With xbar_i the mean of row i and ss_i its sum of squared deviations,
//
//   log p(x_i | delta_i, sigma_i) = const - n_i log sigma_i - A_i(delta_i) / (2 sigma_i^2),
//   A_i(delta) = ss_i / (1 - rho_i) + n_i (xbar_i - delta)^2 / (1 + (n_i - 1) rho_i),
//
// so a gradient costs O(q), however many folds there are. With f_i = 1/n_i + rho_i / (1 - rho_i),
// the variance of xbar_i over (1 - rho_i) sigma_i^2, the second term is
// (xbar_i - delta)^2 / ((1 - rho_i) f_i).
//
// Two groups of independent runs, n_1 and n_2 of them with a common sigma_i, have the same form:
// with xbar_i the difference of their means and ss_i the sum of squared deviations from both, and
// their common level integrated out over a flat prior,
//
//   log p = const - (n_1 + n_2 - 1) log sigma_i
//           - [ss_i + (xbar_i - delta_i)^2 / (1/n_1 + 1/n_2)] / (2 sigma_i^2),
//
// which is that of n_i = n_1 + n_2 - 1 differences with rho_i = 0, but f_i = 1/n_1 + 1/n_2.
//
// Both levels as scale mixtures of normals. (1) With a_i = ss_i / (1 - rho_i) and
// g_i = a_i / sigma_i^2, the flat prior on sigma_i and the factor sigma_i^-(n_i - 1) left over from
// the normal density of xbar_i make g_i a chi-square with n_i - 2 degrees of freedom, cut off below
// at a_i / sigma_upper^2; lambda_i = g_i / m_i with m_i = max(n_i - 2, 1) is that on the scale of
// one, and xbar_i | delta_i, lambda_i is normal with variance v_i / lambda_i,
// v_i = ss_i f_i / m_i.
// (2) StudentT(nu, delta0, sigma0) is Normal(delta0, sigma0 / sqrt(tau_i)), tau_i ~ Gamma(nu/2, nu/2).
// Then delta_i integrates out:
//
//   xbar_i ~ Normal(delta0, sqrt(sigma0^2 / tau_i + v_i / lambda_i)).
//
// The sampler moves z_i, the standardised log of tau_i,
//   log tau_i = digamma(nu/2) - log(nu/2) + sqrt(trigamma(nu/2)) z_i,
// which takes the dependence of tau_i's scale on nu out of the geometry: without it the posterior
// has a funnel wherever nu is free, and the centred form another where the algorithms nearly agree.
//
// Every parameter is given an offset and a multiplier from the data, so that its posterior has a
// standard deviation of about one from the first iteration: with the bare bounded parameters those
// of delta0 and z_i differ a hundredfold, and most of the warm-up goes into long trajectories.
functions {
#include functions/mixing.stan
}
data {
  int<lower=2> q;                             // data sets
  array[q] int<lower=2> n;                    // differences on each, or all runs but one
  vector[q] xbar;                             // their means
  vector<lower=0>[q] ss;                      // sums of squared deviations, > 0
  vector<lower=0, upper=1>[q] rho;            // correlation of two differences
  vector<lower=0>[q] factor;                  // variance of xbar over (1 - rho) sigma^2
  real<lower=0> delta0_bound;                 // bound of the uniform prior of delta0 ...
  real<lower=0> sigma0_upper;                 // of sigma0 ...
  real<lower=0> sigma_upper;                  // ... and of each sigma
  real<lower=0> alpha_lower;                  // bounds of the shape of nu's prior
  real<lower=alpha_lower> alpha_upper;        // equal bounds: alpha is fixed
  real<lower=0> beta_lower;                   // and of its rate
  real<lower=beta_lower> beta_upper;          // equal bounds: beta is fixed
  real<lower=0> nu_offset;                    // least value of nu
}
transformed data {
  vector[q] m;                                // max(n - 2, 1): at n = 2 only the cut-off makes g proper
  vector[q] a = ss ./ (1 - rho);
  for (i in 1:q) {
    m[i] = fmax(n[i] - 2, 1);
  }
  vector[q] v = ss .* factor ./ m;
  vector[q] lambda_lower = a ./ (m * square(sigma_upper));
  vector[q] shape = (to_vector(n) - 4) / 2;   // of lambda's density, a gamma's but for the cut-off
  vector[q] rate = m / 2;
  vector[q] log_lambda_sd = sqrt(2 / m);
  // where delta0 and sigma0 are, roughly, as a fraction of their ranges
  real spread = fmin(sqrt(variance(xbar) + mean(v)), sigma0_upper / 2);
  real centre = fmax(fmin(mean(xbar), 0.9 * delta0_bound), -0.9 * delta0_bound);
  real delta0_at = logit((centre / delta0_bound + 1) / 2);
  real delta0_sd = fmin(2 * spread / (sqrt(q) * delta0_bound), 1);
  real sigma0_at = logit(spread / sigma0_upper);
  real sigma0_sd = inv_sqrt(q);
}
parameters {
  real<offset=delta0_at, multiplier=delta0_sd> delta0_logit;   // delta0 within its bounds
  real<offset=sigma0_at, multiplier=sigma0_sd> sigma0_logit;   // sigma0 likewise
  real<lower=0> nu_raw;                       // nu - nu_offset
  real<lower=0, upper=1> alpha_unit;          // alpha and beta within their bounds, on (0, 1)
  real<lower=0, upper=1> beta_unit;           // beta likewise
  vector[q] z;                                // standardised log tau
  vector<multiplier=log_lambda_sd>[q] log_lambda;   // log(lambda - lambda_lower)
}
transformed parameters {
  real delta0 = delta0_bound * (2 * inv_logit(delta0_logit) - 1);
  real sigma0 = sigma0_upper * inv_logit(sigma0_logit);
  real nu = nu_raw + nu_offset;
}
model {
  real alpha = alpha_lower + (alpha_upper - alpha_lower) * alpha_unit;
  real beta = beta_lower + (beta_upper - beta_lower) * beta_unit;
  vector[q] lambda = lambda_lower + exp(log_lambda);
  vector[q] log_tau = log_mixing(z, nu);
  nu_raw ~ gamma(alpha, beta);
  z ~ mixing(log_tau, nu);
  // lambda_i ~ Gamma((n_i - 2)/2, m_i/2) above lambda_lower, up to a constant, also for n_i = 2;
  // the last term is the Jacobian of log_lambda (sums and products instead of densities, whose
  // constants and checks cost as much as the rest)
  target += dot_product(shape, log(lambda)) - dot_product(rate, lambda) + sum(log_lambda);
  // delta0 and sigma0 are uniform on their ranges: the Jacobians of the logits
  target += log_inv_logit(delta0_logit) + log1m_inv_logit(delta0_logit)
            + log_inv_logit(sigma0_logit) + log1m_inv_logit(sigma0_logit);
  xbar ~ normal(delta0, sqrt(square(sigma0) * exp(-log_tau) + v ./ lambda));
}
generated quantities {
  vector[q] delta;                            // each data set's own difference ...
  vector[q] sigma;                            // ... and the spread of its folds
  {
    vector[q] lambda = lambda_lower + exp(log_lambda);
    vector[q] between = square(sigma0) * exp(-log_mixing(z, nu));
    vector[q] within = v ./ lambda;
    delta = to_vector(normal_rng((delta0 * within + xbar .* between) ./ (between + within),
                                 sqrt(between .* within ./ (between + within))));
    sigma = sqrt(a ./ (m .* lambda));
  }
}
