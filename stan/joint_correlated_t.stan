// Joint hierarchical correlated t test of L >= 3 algorithms on q data sets, one metric.
//
// The model. On data set i, algorithm l has fold scores u_il + block effect + noise; the noise has
// an unstructured covariance over the algorithms, and folds are correlated at rho_i. Only contrasts
// of the algorithms matter: B_i has orthonormal ones of the p_i + 1 algorithms seen on data set i.
//
//   y_i = B_i ybar_i ~ MVT_dof_i(B_i u_i, C_i)      noise covariance integrated out
//   u_i = mu + (Sigma0 / kappa_i)^(1/2) e_i,        kappa_i ~ Gamma(nu / 2, nu / 2)
//   Sigma0 = diag(psi^2) + Lambda Lambda',          Lambda is L x K
//
// so that the difference of any pair on the next data set is Student-t with nu degrees of freedom,
// location mu_b - mu_a and squared scale v_ab = (e_b - e_a)' Sigma0 (e_b - e_a): what every pair is
// reported by comes of the same draws, and is coherent.
//
// Priors, in units of the typical spread of a difference between data sets over sqrt(2):
//
//   psi_l^2 / A^2 ~ beta prime(1/4, 1),  log A ~ N(log A_median, A_sd), psi_l above a floor
//   Lambda_lk ~ N(0, omega_k^2),         omega_k ~ half Student-t(4, 0, scale / sqrt(K))
//   m, the L - 1 contrasts of mu, with s^2 = |m|^2 / (L - 1), the variance of mu:
//                            density (s^2 + floor^2)^(-(L - 3) / 2) (1 + s^2 / scale^2)^(-3 / 2)
//   nu - nu_offset ~ Gamma(alpha, beta), alpha and beta uniform
//
// Above its floor the variance of the effects on average has a flat density, up to about its
// scale, and their direction is uniform: Stein's harmonic prior, a normal prior whose variance is
// flat. It pulls averages towards one another, more so the more algorithms there are; of three
// algorithms it is flat itself. The floor keeps the density finite at zero, the scale makes it
// proper.
//
// The scale of omega is below one, since loadings widen every pair, also those that hardly vary.
//
// With beta prime(1/4, 1), psi^2 has the density x^(-3/4) at zero, psi_a^2 + psi_b^2 therefore
// v^(-1/2): the scale sqrt(v_ab) of a pair has a flat density there, as sigma0 in the test of two.
// The sampler moves the square root of psi, whose density is flat near zero; in log psi, the
// posterior has a long lower tail, which shortens every step.
//
// Both levels as scale mixtures of normals: with lambda_i ~ Gamma(dof_i / 2, dof_i / 2), and u_i
// integrated out,
//
//   y_i ~ N(B_i mu, B_i Sigma0 B_i' / kappa_i + C_i / lambda_i).
//
// Where all algorithms are seen, kappa_i is taken out of the covariance, which saves a matrix.
// kappa_i moves as a standardised logarithm, as in the test of two. The loadings move along axes Q
// of the data, which leaves their prior as it is: along the axis of the difference of two nearly
// identical algorithms their posterior is a hundred times as narrow as along others, and the
// sampler's metric is diagonal. Rows of B_i beyond p_i are zero
// where algorithms are missing; there the covariance has ones, the "pad", and y_i zeros.
functions {
#include functions/mixing.stan
}
data {
  int<lower=3> L;                             // algorithms
  int<lower=2> q;                             // data sets
  int<lower=0> K;                             // columns of loadings
  array[q] vector[L - 1] y;                   // contrasts of the mean scores
  array[q] matrix[L - 1, L] B;                // the contrasts, orthonormal rows
  array[q] matrix[L - 1, L - 1] C;            // their scales, see above
  array[q] vector<lower=0, upper=1>[L - 1] pad;   // 1 where a row of B is zero
  vector<lower=0>[q] dof;                     // and degrees of freedom
  matrix[L, L] Q;                             // orthonormal columns, the last one constant
  vector[L - 1] m_at;                         // where m is, roughly
  real<lower=0> m_sd;                         // its spread, of the sampler's steps
  real<lower=0> A_median;                     // prior median of A, and of its log ...
  real<lower=0> A_sd;                         // ... the sd
  real<lower=0> psi_floor;                    // least psi
  real<lower=0> omega_scale;                  // scale of the prior of the loadings' sds
  real<lower=0> mean_scale;                   // prior of mu's variance: its scale ...
  real<lower=0> mean_floor;                   // ... and its floor
  real<lower=0> alpha_lower;                  // bounds of the shape of nu's prior
  real<lower=alpha_lower> alpha_upper;        // equal bounds: alpha is fixed
  real<lower=0> beta_lower;                   // and of its rate
  real<lower=beta_lower> beta_upper;          // equal bounds: beta is fixed
  real<lower=0> nu_offset;                    // least value of nu
}
transformed data {
  vector[q] log_lambda_sd = sqrt(2 / dof);
  vector[q] half_dof = dof / 2;
  matrix[L, L - 1] H = Q[, 1:(L - 1)];        // contrasts: mu = H m
  int complete = 1;
  vector[L - 1] origin = rep_vector(0, L - 1);
  for (i in 1:q) {
    if (sum(pad[i]) > 0 || max(abs(B[i] - B[1])) > 0) complete = 0;
  }
}
parameters {
  vector<offset=m_at, multiplier=m_sd>[L - 1] m;   // contrasts of mu
  vector<lower=sqrt(psi_floor)>[L] root_psi;  // square roots of psi
  real<offset=log(A_median), multiplier=A_sd> log_A;   // scale of psi
  matrix[L, K] raw;                           // loadings over omega, along Q
  vector<offset=-1.5, multiplier=0.7>[K] log_omega;   // sds of the loadings, a column each
  real<offset=log(20)> log_nu_raw;            // of nu - nu_offset
  real<lower=0, upper=1> alpha_unit;          // alpha and beta within their bounds, on (0, 1)
  real<lower=0, upper=1> beta_unit;           // beta likewise
  vector[q] z;                                // standardised log kappa
  vector<multiplier=log_lambda_sd>[q] log_lambda;   // mixing variables within data sets
}
transformed parameters {
  real nu = nu_offset + exp(log_nu_raw);
  matrix[L, L] Sigma0 = add_diag(tcrossprod(Q * diag_post_multiply(raw, exp(log_omega))),
                                 root_psi^4);
}
model {
  real alpha = alpha_lower + (alpha_upper - alpha_lower) * alpha_unit;
  real beta = beta_lower + (beta_upper - beta_lower) * beta_unit;
  vector[q] log_kappa = log_mixing(z, nu);
  vector[q] inv_kappa = exp(-log_kappa);
  vector[q] inv_lambda = exp(-log_lambda);
  vector[L] mu = H * m;
  real s2 = dot_self(m) / (L - 1);
  target += -0.5 * (L - 3) * log(s2 + square(mean_floor)) - 1.5 * log1p(s2 / square(mean_scale));
  // nu's prior and the Jacobian of its logarithm
  target += gamma_lpdf(nu - nu_offset | alpha, beta) + log_nu_raw;
  log_A ~ normal(log(A_median), A_sd);
  // beta prime(1/4, 1) of psi^2 / A^2, with the Jacobian of psi = root_psi^2
  target += -0.5 * L * log_A - 1.25 * sum(log1p_exp(4 * log(root_psi) - 2 * log_A));
  to_vector(raw) ~ std_normal();
  if (K > 0) {
    target += student_t_lupdf(exp(log_omega) | 4, 0, omega_scale * inv_sqrt(K)) + sum(log_omega);
  }
  z ~ mixing(log_kappa, nu);
  target += dot_product(half_dof, log_lambda - exp(log_lambda));
  if (complete) {
    matrix[L - 1, L - 1] T = quad_form_sym(Sigma0, B[1]');
    vector[L - 1] centre = B[1] * mu;
    vector[q] ratio = exp(log_kappa - log_lambda);
    vector[q] sqrt_kappa = exp(0.5 * log_kappa);
    target += 0.5 * (L - 1) * sum(log_kappa);
    for (i in 1:q) {
      target += multi_normal_lupdf(sqrt_kappa[i] * (y[i] - centre) | origin, T + C[i] * ratio[i]);
    }
  } else {
    for (i in 1:q) {
      y[i] ~ multi_normal(B[i] * mu,
                          add_diag(quad_form_sym(Sigma0 * inv_kappa[i], B[i]')
                                   + C[i] * inv_lambda[i], pad[i]));
    }
  }
}
generated quantities {
  vector[L] mu = H * m;                       // sums to zero: only contrasts are identified
  vector[q] kappa = exp(log_mixing(z, nu));
  vector[q] lambda = exp(log_lambda);
  vector[(L * (L - 1)) %/% 2] log_v;          // of every pair
  {
    int at = 1;
    for (a in 1:(L - 1)) {
      for (b in (a + 1):L) {
        log_v[at] = log(Sigma0[a, a] + Sigma0[b, b] - 2 * Sigma0[a, b]);
        at += 1;
      }
    }
  }
}
