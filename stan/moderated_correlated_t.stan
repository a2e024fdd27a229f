// Bayesian hierarchical correlated t test with features of the data sets that moderate the
// difference: when is the second algorithm better?
//
// The model is that of hierarchical_correlated_t.stan, whose comments derive everything that is
// not explained here, except that the location of the data sets' differences is a linear function
// of standardised features f_i of the data sets:
//
//   delta_i ~ StudentT(nu, delta0 + f_i' beta, sigma0)
//   beta_j  ~ Normal(0, beta_sd)
//
// delta0 is the mean difference on a data set with average features.
functions {
#include functions/mixing.stan
}
data {
  int<lower=2> q;                             // data sets
  int<lower=1> k;                             // features
  matrix[q, k] features;                      // standardised: mean 0, standard deviation 1
  real<lower=0> beta_sd;                      // standard deviation of the prior of each beta
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
  real<lower=beta_lower> beta_upper;          // equal bounds: the rate is fixed
  real<lower=0> nu_offset;                    // least value of nu
}
transformed data {
  vector[q] m;                                // max(n - 2, 1)
  vector[q] a = ss ./ (1 - rho);
  for (i in 1:q) {
    m[i] = fmax(n[i] - 2, 1);
  }
  vector[q] v = ss .* factor ./ m;
  vector[q] lambda_lower = a ./ (m * square(sigma_upper));
  vector[q] shape = (to_vector(n) - 4) / 2;
  vector[q] log_lambda_sd = sqrt(2 / m);
  // where delta0, beta and sigma0 are, roughly
  real spread = fmin(sqrt(variance(xbar) + mean(v)), sigma0_upper / 2);
  real centre = fmax(fmin(mean(xbar), 0.9 * delta0_bound), -0.9 * delta0_bound);
  real delta0_at = logit((centre / delta0_bound + 1) / 2);
  real delta0_sd = fmin(2 * spread / (sqrt(q) * delta0_bound), 1);
  real step = fmin(spread / sqrt(q), beta_sd);
  real sigma0_at = logit(spread / sigma0_upper);
  real sigma0_sd = inv_sqrt(q);
}
parameters {
  real<offset=delta0_at, multiplier=delta0_sd> delta0_logit;   // delta0 within its bounds
  vector<multiplier=step>[k] beta;                             // one coefficient per feature
  real<offset=sigma0_at, multiplier=sigma0_sd> sigma0_logit;   // sigma0 within its bounds
  real<lower=0> nu_raw;                       // nu - nu_offset
  real<lower=0, upper=1> alpha_unit;          // shape and rate within their bounds, on (0, 1)
  real<lower=0, upper=1> rate_unit;           // the rate likewise
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
  real rate = beta_lower + (beta_upper - beta_lower) * rate_unit;
  vector[q] lambda = lambda_lower + exp(log_lambda);
  vector[q] log_tau = log_mixing(z, nu);
  nu_raw ~ gamma(alpha, rate);
  z ~ mixing(log_tau, nu);
  beta ~ normal(0, beta_sd);
  target += dot_product(shape, log(lambda)) - dot_product(m / 2, lambda) + sum(log_lambda);
  target += log_inv_logit(delta0_logit) + log1m_inv_logit(delta0_logit)
            + log_inv_logit(sigma0_logit) + log1m_inv_logit(sigma0_logit);
  xbar ~ normal(delta0 + features * beta, sqrt(square(sigma0) * exp(-log_tau) + v ./ lambda));
}
generated quantities {
  vector[q] delta;                            // each data set's own difference ...
  vector[q] sigma;                            // ... and the spread of its folds
  {
    vector[q] lambda = lambda_lower + exp(log_lambda);
    vector[q] location = delta0 + features * beta;
    vector[q] between = square(sigma0) * exp(-log_mixing(z, nu));
    vector[q] within = v ./ lambda;
    delta = to_vector(normal_rng((location .* within + xbar .* between) ./ (between + within),
                                 sqrt(between .* within ./ (between + within))));
    sigma = sqrt(a ./ (m .* lambda));
  }
}
