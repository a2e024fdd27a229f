// Bayesian multivariate correlated t test and blocked MANOVA on one data set: two algorithms or
// several, p metrics, n folds, with normal or multivariate t noise. For two it is the matrix-normal
// extension of the correlated t test (Corani & Benavoli 2015, Machine Learning 100:285-304), and its
// robust version the p-metric form of Kruschke 2013 (J. Experimental Psychology: General
// 142:573-603); for several with normal noise a MANOVA with folds as blocks (p = 1: an ANOVA).
//
// The model. A fold holds m rows of p numbers: the difference of two algorithms (second minus
// first, m = 1), or m orthonormal contrasts of m + 1 algorithms, in which neither a common mean nor
// the folds' own effects, both with flat priors, are left. Folds share training data:
//
//   x_ij = delta_i + A (sqrt(rho) z_i0 + sqrt(1 - rho) z_ij),   A A' = Sigma,
//
// z standard normal, or the z_ij of all i jointly multivariate t with nu degrees of freedom, for
// each j = 0, ..., n: a fold is odd as a whole. Two folds correlate at rho in every metric, whatever
// nu. The shared term keeps what is odd about one fold within that fold: an outlier does not leak
// into the others, and the order of the folds does not matter. (Sigma of a difference is twice the
// Sigma of the two algorithms' orthonormal contrast.)
//
// Sampling. z_i0 shifts all folds alike: the data tell of centre_i = delta_i + sqrt(rho) A z_i0
// only. The sampler moves (centre, Sigma, nu), and delta is drawn afterwards. With normal noise the
// mean and the scatter matrix S suffice, so that a gradient costs O(1) in n; row by row,
//
//   normal: xbar ~ N(centre, (1 - rho) Sigma / n),   S ~ Wishart(m (n - 1), (1 - rho) Sigma),
//   t:      x_.j ~ multivariate t of dimension m p, centre, (1 - rho) Sigma a row.
//
// The prior.
//
//   Sigma = diag(floor_sd^2) + diag(sigma) Omega diag(sigma)
//   log sigma_k ~ N(log_sigma_mean_k, log_sigma_sd),   p(Omega) proportional to |Omega|^(eta - 1)
//   centre_ik ~ N(0, centre_sd_k),   nu - 1 ~ Exponential(1 / nu_mean)
//
// It is the same for every order of the algorithms, since the contrasts are orthonormal. eta > 0 is
// the LKJ prior (Lewandowski, Kurowicka & Joe 2009, J. Multivariate Analysis 100:1989-2001).
// eta = (1 - p) / 2 with wide sds and no floor is Jeffreys' |Sigma|^(-(p + 1) / 2), with which a
// pair's difference has the closed form t_v(xbar, c S / v), v = m (n - 1) - p + 1 (twice the scale
// where S is that of contrasts), c = 1/n + rho / (1 - rho). The floor is the spread of rounding: a t
// density grows without bound as Sigma shrinks onto a point, or a line, that most of the folds are on.
//
// Parametrisation. at and root are a location and a triangular scale taken from the data, by which
// the sampler measures its steps: centre = at + u root', diag(sigma) Omega diag(sigma) = G G' with
// G = root T, T triangular and near the identity. Metrics may then correlate as strongly as they
// like: the posterior of (u, T) has the same shape. It is a change of variables, no prior:
// any at and root give the same posterior.
data {
  int<lower=1> m;                             // rows of a fold: differences, or contrasts
  int<lower=1> p;                             // metrics
  int<lower=2> n;                             // folds
  real<lower=0, upper=1> rho;                 // correlation of two folds' differences
  int<lower=0, upper=1> student;              // noise: 0 normal, 1 multivariate t
  matrix[m, p] xbar;                          // means over folds, for normal noise
  matrix[p, p] scatter;                       // S, for normal noise; positive definite
  array[student ? n : 0] matrix[m, p] x;      // the rows of each fold, for t noise
  matrix[m, p] at;                            // a location from the data, of the sampler's steps
  cholesky_factor_cov[p] root;                // a scale, likewise
  vector<lower=0>[p] centre_sd;               // prior sd of centre
  vector[p] log_sigma_mean;                   // prior mean of log sigma
  real<lower=0> log_sigma_sd;                 // and its sd
  vector<lower=0>[p] floor_sd;                // used with t noise only
  real eta;                                   // shape of the prior of Omega
  real<lower=0> nu_mean;                      // prior mean of nu - 1; 29 in Kruschke 2013
}
transformed data {
  int pairs = (p * (p - 1)) %/% 2;            // numbers below T's diagonal
  matrix[p, p] scatter_root = student ? root : cholesky_decompose(scatter);
  vector[p] floor_variance = square(floor_sd);
  matrix[p, student ? m * n : 0] y;           // rows of fold 1, of fold 2, ..., as columns
  for (j in 1:(student ? n : 0)) {
    y[ : , (m * (j - 1) + 1):(m * j)] = x[j]';
  }
  real centre_step = inv_sqrt(n);
  real sigma_step = inv_sqrt(m * n);
}
parameters {
  vector<multiplier=centre_step>[m * p] u;    // centre, in steps of root from at
  vector<multiplier=sigma_step>[p] log_t;     // log of T's diagonal
  vector<multiplier=sigma_step>[pairs] t_below;   // T below it over its row's diagonal, row by row
  array[student] real<lower=0> nu_raw;        // nu - 1
}
transformed parameters {
  matrix[m, p] centre = at + to_matrix(u, m, p) * root';
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
    matrix[p, m * n] centres = to_matrix(rep_matrix(to_vector(centre'), n), p, m * n);
    matrix[p, m * n] z = mdivide_left_tri_low(L, y - centres);
    row_vector[n] distance = rep_row_vector(1 / (1 - rho), m)
                             * to_matrix(columns_dot_self(z), m, n);
    nu_raw[1] ~ exponential(1 / nu_mean);
    target += n * (lgamma((nu + d) / 2) - lgamma(nu / 2) - d * log(nu) / 2
                   - m * sum(log(diagonal(L))))
              - (nu + d) / 2 * sum(log1p(distance / nu));
  } else {
    target += -m * n * sum(log_g)
              - (n * sum(square(mdivide_left_tri_low(L, (xbar - centre)')))
                 + sum(square(mdivide_left_tri_low(L, scatter_root)))) / (2 * (1 - rho));
  }
}
generated quantities {
  vector[student] nu;
  matrix[m, p] delta;                         // the rows' effects
  matrix[p, p] Sigma = tcrossprod(L);
  {
    matrix[m, p] z = to_matrix(normal_rng(rep_vector(0, m * p), 1), m, p);
    if (student) {
      nu[1] = 1 + nu_raw[1];
      z /= sqrt(chi_square_rng(nu[1]) / nu[1]);
    }
    delta = centre - sqrt(rho) * (z * L');
  }
}
