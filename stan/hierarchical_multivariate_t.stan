// Bayesian hierarchical multivariate correlated t test: two algorithms, p metrics, q data sets; the
// extension to several metrics of Corani, Benavoli, Demsar, Mangili & Zaffalon 2017 (Machine
// Learning 106:1817-1837).
//
// The model. On data set i there are n_i differences of scores (second minus first), p numbers each,
// normal with covariance S_i within a fold and rho_i S_i between folds, training data being shared:
//
//   x_ij    = delta_i + A_i (sqrt(rho_i) z_i0 + sqrt(1 - rho_i) z_ij),   A_i A_i' = S_i
//   delta_i ~ MVT_nu(delta0, Sigma0),   Sigma0 = diag(tau) Omega diag(tau)
//
// The prior.
//
//   S_i:       |S_i|^(-(p + 1) / 2) (Jeffreys), or inverse Wishart
//   delta0_k   ~ N(0, delta0_sd_k)
//   tau_k      ~ half StudentT(tau_df, 0, tau_scale_k)
//   Omega      ~ LKJ(eta) (Lewandowski, Kurowicka & Joe 2009, J. Multivariate Analysis 100:1989)
//   nu - 1     ~ Gamma(alpha, beta),  alpha ~ Uniform(alpha_lower, alpha_upper),
//                                     beta  ~ Uniform(beta_lower, beta_upper)
//
// With one metric, tau_scale far over the data's spread and the bounds of the program for one metric
// these are its priors of the upper level.
//
// S_i integrates out. With either prior of S_i the likelihood of delta_i is a multivariate t,
//
//   delta_i ~ MVT(xbar_i, C_i) with dof_i degrees of freedom, up to a constant,
//
// for Jeffreys' dof_i = n_i - p and C_i = c_i W_i / dof_i, W_i the scatter matrix of the
// differences and c_i = 1/n_i + rho_i / (1 - rho_i): all that the program has to know of a data set.
//
// Both levels as scale mixtures of normals. (1) delta_i | lambda_i ~ N(xbar_i, C_i / lambda_i),
// lambda_i ~ Gamma(dof_i / 2, dof_i / 2), as a likelihood. (2) delta_i | kappa_i ~
// N(delta0, Sigma0 / kappa_i), kappa_i ~ Gamma(nu / 2, nu / 2). Then delta_i integrates out, too:
//
//   xbar_i ~ N(delta0, V_i),   V_i = Sigma0 / kappa_i + C_i / lambda_i,
//
// which leaves no funnel where the algorithms nearly agree (tau near 0: the centred form) nor where
// the data sets say much (the non-centred one), and no S_i near singularity to be sampled. Last,
// delta0 integrates out, whose spread follows tau where data sets are few. With y_i = xbar_i - at
// and P the prior covariance of delta0,
//
//   delta0 - at ~ N(A^-1 b, A^-1),   A = P^-1 + sum_i V_i^-1,   b = -P^-1 at + sum_i V_i^-1 y_i,
//
// and what remains of the likelihood is
//   prod_i |V_i|^(-1/2) |A|^(-1/2) exp(-(sum_i y_i' V_i^-1 y_i - b' A^-1 b) / 2).
// at, near the means, keeps the last difference free of cancellation; any at gives the same.
//
// As in the program for one metric the sampler moves z_i, the standardised log of kappa_i,
//   log kappa_i = digamma(nu/2) - log(nu/2) + sqrt(trigamma(nu/2)) z_i,
// which takes the dependence of kappa_i's scale on nu out of the geometry. delta0 and delta_i are
// drawn afterwards.
functions {
#include functions/mixing.stan
}
data {
  int<lower=2> q;                             // data sets
  int<lower=1> p;                             // metrics
  array[q] vector[p] xbar;                    // mean differences
  array[q] cov_matrix[p] C;                   // their scales, see above
  vector<lower=0>[q] dof;                     // and degrees of freedom
  vector[p] at;                               // where delta0 is, roughly
  vector<lower=0>[p] tau_at;                  // where tau is, roughly
  vector<lower=0>[p] delta0_sd;               // prior sd of delta0
  vector<lower=0>[p] tau_scale;               // tau's prior, a half Student-t: scale ...
  real<lower=0> tau_df;                       // ... and degrees of freedom
  real<lower=0> eta;                          // shape of Omega's prior, LKJ
  real<lower=0> alpha_lower;                  // bounds of the shape of nu's prior
  real<lower=alpha_lower> alpha_upper;        // equal bounds: alpha is fixed
  real<lower=0> beta_lower;                   // and of its rate
  real<lower=beta_lower> beta_upper;          // equal bounds: beta is fixed
}
transformed data {
  real small = inv_sqrt(q);
  array[p] vector[q] y;                       // xbar - at and C, metric by metric
  array[p, p] vector[q] C_of;
  vector[p] prior_precision = inv_square(delta0_sd);
  vector[p] log_tau_at = log(tau_at);
  vector[q] half_dof = dof / 2;
  vector[q] log_lambda_sd = sqrt(2 / dof);
  matrix[p, p] identity = identity_matrix(p);
  for (k in 1:p) {
    y[k] = to_vector(xbar[ : , k]) - at[k];
    for (l in 1:p) {
      C_of[k, l] = to_vector(C[ : , k, l]);
    }
  }
}
parameters {
  vector<offset=log_tau_at, multiplier=small>[p] log_tau;   // sds between data sets
  cholesky_factor_corr[p] K;                  // Omega = K K'
  real<lower=0> nu_raw;                       // nu - 1
  real<lower=0, upper=1> alpha_unit;          // alpha and beta within their bounds, on (0, 1)
  real<lower=0, upper=1> beta_unit;           // beta likewise
  vector[q] z;                                // standardised log kappa
  vector<multiplier=log_lambda_sd>[q] log_lambda;   // mixing variables within data sets
}
transformed parameters {
  vector[p] tau = exp(log_tau);
  real nu = 1 + nu_raw;
}
model {
  vector[q] lambda = exp(log_lambda);
  vector[q] log_kappa = log_mixing(z, nu);
  vector[q] inv_kappa = exp(-log_kappa);
  matrix[p, p] Sigma0 = tcrossprod(diag_pre_multiply(tau, K));
  target += student_t_lupdf(tau | tau_df, 0, tau_scale) + sum(log_tau);
  K ~ lkj_corr_cholesky(eta);
  nu_raw ~ gamma(alpha_lower + (alpha_upper - alpha_lower) * alpha_unit,
                 beta_lower + (beta_upper - beta_lower) * beta_unit);
  z ~ mixing(log_kappa, nu);
  // lambda_i ~ Gamma(dof_i/2, dof_i/2), written for its log
  target += dot_product(half_dof, log_lambda - lambda);
  // The Cholesky factors L of all V_i at once, element by element as vectors of length q, likewise
  // M = L^-1 and w = M y: a few operations on vectors instead of q on small matrices.
  array[p, p] vector[q] L;
  array[p, p] vector[q] M;
  array[p] vector[q] w;
  vector[q] inv_lambda = inv(lambda);
  for (k in 1:p) {
    for (l in 1:k) {
      L[k, l] = Sigma0[k, l] * inv_kappa + C_of[k, l] .* inv_lambda;
      for (h in 1:(l - 1)) {
        L[k, l] -= L[k, h] .* L[l, h];
      }
      L[k, l] = k == l ? sqrt(L[k, l]) : L[k, l] ./ L[l, l];
    }
    M[k, k] = inv(L[k, k]);
    w[k] = y[k];
    for (h in 1:(k - 1)) {
      w[k] -= L[k, h] .* w[h];
      M[k, h] = L[k, h] .* M[h, h];
      for (g in (h + 1):(k - 1)) {
        M[k, h] += L[k, g] .* M[g, h];
      }
      M[k, h] = -M[k, h] .* M[k, k];
    }
    w[k] = w[k] .* M[k, k];
    target += -sum(log(L[k, k])) - dot_self(w[k]) / 2;
  }
  matrix[p, p] A = diag_matrix(prior_precision);
  vector[p] b = -prior_precision .* at;
  for (k in 1:p) {
    for (g in 1:k) {
      b[g] += dot_product(M[k, g], w[k]);
      A[g, g] += dot_self(M[k, g]);
      for (h in 1:(g - 1)) {
        real both = dot_product(M[k, g], M[k, h]);
        A[g, h] += both;
        A[h, g] += both;
      }
    }
  }
  matrix[p, p] R = cholesky_decompose(A);
  target += -sum(log(diagonal(R))) + dot_self(mdivide_left_tri_low(R, b)) / 2;
}
generated quantities {
  matrix[p, p] Omega = multiply_lower_tri_self_transpose(K);
  vector[p] delta0;
  array[q] vector[p] delta;                   // each data set's own difference
  {
    matrix[p, p] G = diag_pre_multiply(tau, K);
    matrix[p, p] Sigma0 = tcrossprod(G);
    vector[q] kappa = exp(log_mixing(z, nu));
    vector[q] lambda = exp(log_lambda);
    vector[p] zeros = rep_vector(0, p);
    matrix[p, p] A = diag_matrix(prior_precision);
    vector[p] b = -prior_precision .* at;
    for (i in 1:q) {
      matrix[p, p] L = cholesky_decompose(Sigma0 / kappa[i] + C[i] / lambda[i]);
      matrix[p, p] M = mdivide_left_tri_low(L, identity);
      A += crossprod(M);
      b += M' * (M * (xbar[i] - at));
    }
    matrix[p, p] R = cholesky_decompose(A);
    vector[p] e = mdivide_left_tri_low(R, b) + to_vector(normal_rng(zeros, 1));
    delta0 = at + mdivide_right_tri_low(e', R)';   // R'^-1 (R^-1 b + a standard normal)
    for (i in 1:q) {
      // a pair from the joint distribution of (delta_i, xbar_i), moved to the xbar_i observed: no
      // difference of covariance matrices is to be decomposed
      matrix[p, p] between = Sigma0 / kappa[i];
      matrix[p, p] within = C[i] / lambda[i];
      vector[p] drawn = delta0 + G * to_vector(normal_rng(zeros, 1)) / sqrt(kappa[i]);
      vector[p] noise = multi_normal_rng(zeros, within);
      delta[i] = drawn + between * mdivide_left_spd(between + within, xbar[i] - drawn - noise);
    }
  }
}
