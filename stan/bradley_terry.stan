// Bayesian Bradley-Terry model of L algorithms that were compared two at a time, with ties
// (Wainer 2023, Journal of Machine Learning Research 24(341); Davidson 1970, JASA 65:317-328).
//
//   wins of i, wins of j, ties ~ Multinomial, with probabilities in the proportions
//                                exp(beta_i), exp(beta_j), exp(nu + (beta_i + beta_j) / 2)
//   beta ~ Normal(0, sigma),     sigma ~ LogNormal(0, 0.5),     nu ~ Normal(0, 2)
//
// Without ties the last outcome is left out. The built-in sampler is checked against this program.
data {
  int<lower=2> L;
  int<lower=1> P;                             // pairs that met
  array[P] int<lower=1, upper=L> first;
  array[P] int<lower=1, upper=L> second;
  array[P, 3] int<lower=0> counts;            // wins of the first, of the second, ties
  int<lower=0, upper=1> has_ties;
}
parameters {
  vector[L] z;
  real log_sigma;
  array[has_ties] real nu;
}
transformed parameters {
  vector[L] abilities = exp(log_sigma) * z;
}
model {
  z ~ std_normal();
  log_sigma ~ normal(0, 0.5);
  nu ~ normal(0, 2);
  for (p in 1:P) {
    real a = abilities[first[p]];
    real b = abilities[second[p]];
    if (has_ties) {
      counts[p] ~ multinomial_logit([a, b, nu[1] + (a + b) / 2]');
    } else {
      counts[p, 1] ~ binomial_logit(counts[p, 1] + counts[p, 2], a - b);
    }
  }
}
generated quantities {
  real sigma = exp(log_sigma);
}
