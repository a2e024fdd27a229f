// Bayesian blocked MANOVA: several algorithms, n folds as blocks, p metrics, one data set (p = 1:
// ANOVA), with normal or multivariate t noise; after Corani & Benavoli 2015 (Machine Learning
// 100:285-304) for the overlap of folds and Kruschke 2013 (J. Experimental Psychology: General
// 142:573-603) for the t noise.
//
// The model. The score of algorithm i on fold j, p numbers, is
//
//   x_ij = mu + tau_i + beta_j + A (sqrt(rho) z_i0 + sqrt(1 - rho) z_ij),   A A' = Sigma,
//
// sum_i tau_i = 0; z is standard normal, or for t noise the z_ij of all i are jointly multivariate
// t with nu degrees of freedom, for each j = 0, ..., n: a fold is odd as a whole. With two
// algorithms it is multivariate_correlated_t.stan, whose Sigma is twice this one.
//
// Blocks drop out. mu and beta_j have flat priors, and only H x_.j tells of the rest, H the
// m x (m + 1) matrix of orthonormal contrasts of the m + 1 algorithms. With theta = H tau and
// centre = theta + sqrt(rho) H z_.0 A' (m rows, p columns) there remain, row by row,
//
//   normal: H xbar ~ N(centre, (1 - rho) Sigma / n),   W ~ Wishart(m (n - 1), (1 - rho) Sigma),
//   t:      H x_.j ~ multivariate t of dimension m p, centre, (1 - rho) Sigma a row,
//
// W the scatter matrix of the blocked errors; the first is O(1) in n. The sampler moves
// (centre, Sigma, nu), and theta is drawn afterwards.
//
// Prior, parametrisation and floor are those of multivariate_correlated_t.stan:
//
//   Sigma = diag(floor_sd^2) + diag(sigma) Omega diag(sigma)
//   log sigma_k ~ N(log_sigma_mean_k, log_sigma_sd),   p(Omega) proportional to |Omega|^(eta - 1)
//   centre_ik ~ N(0, centre_sd_k),   nu - 1 ~ Exponential(1 / nu_mean)
//
// The prior of tau is the same for every order of the algorithms, since H is orthonormal. eta > 0
// is LKJ's prior; eta = (1 - p) / 2 with wide sds and no floor is Jeffreys' |Sigma|^(-(p + 1) / 2),
// with which tau_i - tau_k is multivariate t with v = m (n - 1) - p + 1 degrees of freedom about the
// mean difference, scale 2 c W / v, c = 1/n + rho / (1 - rho).
data {
  int<lower=2> algorithms;
  int<lower=1> p;                             // metrics
  int<lower=2> n;                             // folds
  real<lower=0, upper=1> rho;                 // correlation of two folds' differences
  int<lower=0, upper=1> student;              // noise: 0 normal, 1 multivariate t
  matrix[algorithms, p] xbar;                 // means over folds
  matrix[p, p] scatter;                       // W, for normal noise; positive definite
  array[student ? n : 0] matrix[algorithms, p] x;   // the scores, for t noise
  cholesky_factor_cov[p] root;                // a scale from the data, of the sampler's steps
  matrix[algorithms, p] at;                   // a location, likewise
  vector<lower=0>[p] centre_sd;
  vector[p] log_sigma_mean;
  real<lower=0> log_sigma_sd;
  vector<lower=0>[p] floor_sd;                // used with t noise only
  real eta;
  real<lower=0> nu_mean;                      // prior mean of nu - 1; 29 in Kruschke 2013
}
transformed data {
  int m = algorithms - 1;
  int pairs = (p * (p - 1)) %/% 2;
  matrix[p, p] scatter_root = student ? root : cholesky_decompose(scatter);
  vector[p] floor_variance = square(floor_sd);
  matrix[m, algorithms] H = rep_matrix(0, m, algorithms);   // Helmert's contrasts
  for (i in 1:m) {
    for (l in 1:i) {
      H[i, l] = inv_sqrt(i * (i + 1.0));
    }
    H[i, i + 1] = -i * inv_sqrt(i * (i + 1.0));
  }
  matrix[m, p] mean_contrasts = H * xbar;
  matrix[m, p] centre_at = H * at;
  matrix[p, student ? m * n : 0] y;           // contrasts of fold 1, of fold 2, ...
  if (student) {
    for (j in 1:n) {
      y[ : , (m * (j - 1) + 1):(m * j)] = (H * x[j])';
    }
  }
  real step = inv_sqrt(n);
  real sigma_step = inv_sqrt(m * n);
}
parameters {
  vector<multiplier=step>[m * p] u;
  vector<multiplier=sigma_step>[p] log_t;     // log of T's diagonal
  vector<multiplier=sigma_step>[pairs] t_below;   // T below it over its row's diagonal, row by row
  array[student] real<lower=0> nu_raw;        // nu - 1
}
transformed parameters {
  matrix[m, p] centre = centre_at + to_matrix(u, m, p) * root';
  matrix[p, p] G = rep_matrix(0, p, p);
  vector[p] sigma;                            // square roots of the diagonal of G G'
  matrix[p, p] L;                             // Sigma = L L'
  {
    int next = 1;
    for (k in 1:p) {
      for (l in 1:(k - 1)) {
        G[k, l] = t_below[next] * exp(log_t[k]);
        next += 1;
      }
      G[k, k] = exp(log_t[k]);
    }
    G = root * G;
  }
  for (k in 1:p) {
    sigma[k] = norm2(G[k]);
  }
  L = student ? cholesky_decompose(add_diag(tcrossprod(G), floor_variance)) : G;
}
model {
  vector[p] log_sigma = log(sigma);
  vector[p] log_g = log(diagonal(G));
  real log_det_omega = 2 * sum(log_g - log_sigma);
  // The prior of (sigma, Omega), brought to (log_t, t_below) by
  // d(GG') = 2^p prod_k sigma_k^p dsigma dOmega = 2^p prod_k G_kk^(p - k + 1) dG.
  target += normal_lupdf(log_sigma | log_sigma_mean, log_sigma_sd) - (p + 1) * sum(log_sigma)
            + (eta - 1) * log_det_omega;
  for (k in 1:p) {
    target += (p - k + 1) * log_g[k] + k * log_t[k];
    centre[ : , k] ~ normal(0, centre_sd[k]);
  }
  if (student) {
    real nu = 1 + nu_raw[1];
    int d = m * p;
    matrix[p, m * n] z = y;
    for (j in 1:n) {
      z[ : , (m * (j - 1) + 1):(m * j)] -= centre';
    }
    z = mdivide_left_tri_low(L, z);
    row_vector[n] distance = rep_row_vector(1 / (1 - rho), m)
                             * to_matrix(columns_dot_self(z), m, n);
    nu_raw[1] ~ exponential(1 / nu_mean);
    target += n * (lgamma((nu + d) / 2) - lgamma(nu / 2) - d * log(nu) / 2
                   - m * sum(log(diagonal(L))))
              - (nu + d) / 2 * sum(log1p(distance / nu));
  } else {
    target += -m * n * sum(log_g)
              - (n * sum(square(mdivide_left_tri_low(L, (mean_contrasts - centre)')))
                 + sum(square(mdivide_left_tri_low(L, scatter_root)))) / (2 * (1 - rho));
  }
}
generated quantities {
  vector[student] nu;
  matrix[algorithms, p] tau;                  // sums to zero over algorithms
  matrix[p, p] Sigma = tcrossprod(L);
  {
    matrix[m, p] z = to_matrix(normal_rng(rep_vector(0, m * p), 1), m, p);
    if (student) {
      nu[1] = 1 + nu_raw[1];
      z /= sqrt(chi_square_rng(nu[1]) / nu[1]);
    }
    tau = H' * (centre - sqrt(rho) * (z * L'));
  }
}
