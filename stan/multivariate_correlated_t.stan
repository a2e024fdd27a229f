// Bayesian multivariate correlated t test for two algorithms, p metrics and one data set: the
// matrix-normal extension of the correlated t test (Corani & Benavoli 2015, Machine Learning
// 100:285-304), and its robust version with multivariate t noise (the p-metric form of Kruschke 2013,
// J. Experimental Psychology: General 142:573-603).
//
// The model. The n differences of scores (second minus first), p numbers each, share training data:
//
//   x_j = delta + A (sqrt(rho) z_0 + sqrt(1 - rho) z_j),   A A' = Sigma,
//
// z_0, ..., z_n standard normal or multivariate t with nu degrees of freedom. Two folds correlate at
// rho in every metric, whatever nu. The shared term keeps what is odd about one fold within that
// fold: an outlier does not leak into the others, and the order of the folds does not matter.
//
// Sampling. z_0 shifts all folds alike: the data tell of centre = delta + sqrt(rho) A z_0 only. The
// sampler moves (centre, Sigma, nu), and delta is drawn afterwards. With normal noise the mean and
// the scatter matrix S suffice, so that a gradient costs O(1) in n:
//
//   xbar ~ N(centre, (1 - rho) Sigma / n),   S ~ Wishart(n - 1, (1 - rho) Sigma).
//
// The prior.
//
//   Sigma = diag(floor_sd^2) + diag(sigma) Omega diag(sigma)
//   log sigma_k ~ N(log_sigma_mean_k, log_sigma_sd),   p(Omega) proportional to |Omega|^(eta - 1)
//   centre_k ~ N(0, centre_sd_k),   nu - 1 ~ Exponential(1 / nu_mean)
//
// eta > 0 is the LKJ prior (Lewandowski, Kurowicka & Joe 2009, J. Multivariate Analysis
// 100:1989-2001). eta = (1 - p) / 2 with wide sds and no floor is Jeffreys' |Sigma|^(-(p + 1) / 2),
// under which delta has the closed form t_{n - p}(xbar, c S / (n - p)), c = 1/n + rho / (1 - rho).
// The floor is the spread of rounding: a t density grows without bound as Sigma shrinks onto a
// point, or a line, that most of the folds are on.
//
// Parametrisation. at and root are a location and a triangular scale taken from the data, by which
// the sampler measures its steps: centre = at + root u, diag(sigma) Omega diag(sigma) = G G' with
// G = root T, T triangular and near the identity. Metrics may then correlate as strongly as they
// like: the posterior of (u, T) has the same shape. It is a change of variables, no prior:
// any at and root give the same posterior.
data {
  int<lower=1> p;                             // metrics
  int<lower=2> n;                             // differences
  real<lower=0, upper=1> rho;                 // correlation of two differences
  int<lower=0, upper=1> student;              // noise: 0 normal, 1 multivariate t
  vector[p] xbar;                             // mean of the differences, for normal noise
  matrix[p, p] scatter;                       // S, for normal noise; positive definite
  matrix[student ? n : 0, p] x;               // the differences, for t noise
  vector[p] at;
  cholesky_factor_cov[p] root;
  vector<lower=0>[p] centre_sd;
  vector[p] log_sigma_mean;
  real<lower=0> log_sigma_sd;
  vector<lower=0>[p] floor_sd;                // used with t noise only
  real eta;
  real<lower=0> nu_mean;                      // prior mean of nu - 1; 29 in Kruschke 2013
}
transformed data {
  int pairs = (p * (p - 1)) %/% 2;
  real small = inv_sqrt(n);
  matrix[p, p] scatter_root = student ? root : cholesky_decompose(scatter);
  vector[p] floor_variance = square(floor_sd);
}
parameters {
  vector<multiplier=small>[p] u;
  vector<multiplier=small>[p] log_t;          // log of T's diagonal
  vector<multiplier=small>[pairs] t_below;    // T below it over its row's diagonal, row by row
  array[student] real<lower=0> nu_raw;        // nu - 1
}
transformed parameters {
  vector[p] centre = at + root * u;
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
  }
  centre ~ normal(0, centre_sd);
  if (student) {
    real nu = 1 + nu_raw[1];
    matrix[p, n] z = mdivide_left_tri_low(L, x' - rep_matrix(centre, n));
    vector[n] distance = columns_dot_self(z)' / (1 - rho);
    nu_raw[1] ~ exponential(1 / nu_mean);
    target += n * (lgamma((nu + p) / 2) - lgamma(nu / 2) - p * log(nu) / 2
                   - sum(log(diagonal(L))))
              - (nu + p) / 2 * sum(log1p(distance / nu));
  } else {
    target += -n * sum(log_g)
              - (n * dot_self(mdivide_left_tri_low(L, xbar - centre))
                 + sum(square(mdivide_left_tri_low(L, scatter_root)))) / (2 * (1 - rho));
  }
}
generated quantities {
  vector[student] nu;
  vector[p] delta;
  matrix[p, p] Sigma = tcrossprod(L);
  {
    vector[p] z = to_vector(normal_rng(rep_vector(0, p), 1));
    if (student) {
      nu[1] = 1 + nu_raw[1];
      z /= sqrt(chi_square_rng(nu[1]) / nu[1]);
    }
    delta = centre - sqrt(rho) * (L * z);
  }
}
