// Bayesian Bradley-Terry model of L algorithms that were compared two at a time, with ties
// (Wainer 2023, Journal of Machine Learning Research 24(341); Davidson 1970, JASA 65:317-328).
//
//   wins of i, wins of j, ties ~ Multinomial, with probabilities in the proportions
//                                exp(beta_i), exp(beta_j), exp(nu + (beta_i + beta_j) / 2)
//   beta ~ Normal(0, sigma),     sigma ~ LogNormal(0, log_sigma_sd),     nu ~ Normal(0, nu_sd)
//
// Without ties the last outcome is left out. The built-in sampler is checked against this program.
data {
  int<lower=2> L;                             // algorithms
  int<lower=1> P;                             // pairs that met
  array[P] int<lower=1, upper=L> first;       // the first algorithm of each ...
  array[P] int<lower=1, upper=L> second;      // ... and the second
  array[P, 3] int<lower=0> counts;            // wins of the first, of the second, ties
  int<lower=0, upper=1> has_ties;             // whether ties were possible
  real<lower=0> log_sigma_sd;                 // prior sd of log sigma
  real<lower=0> nu_sd;                        // prior sd of nu
}
parameters {
  vector[L] z;                                // abilities over sigma
  real log_sigma;                             // of the abilities' sd
  array[has_ties] real nu;                    // how likely ties are
}
transformed parameters {
  vector[L] abilities = exp(log_sigma) * z;
}
model {
  z ~ std_normal();
  log_sigma ~ normal(0, log_sigma_sd);
  nu ~ normal(0, nu_sd);
  for (k in 1:P) {
    real a = abilities[first[k]];
    real b = abilities[second[k]];
    if (has_ties) {
      counts[k] ~ multinomial_logit([a, b, nu[1] + (a + b) / 2]');
    } else {
      counts[k, 1] ~ binomial_logit(counts[k, 1] + counts[k, 2], a - b);
    }
  }
}
generated quantities {
  real sigma = exp(log_sigma);
}
