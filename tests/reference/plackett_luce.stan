// Bayesian Plackett-Luce model of L algorithms in R rankings, complete or partial, with ties by
// the Davidson-Luce model (Turner, van Etten, Firth & Kosmidis 2020, Computational Statistics
// 35:1027-1057).
//
// A ranking is a sequence of choices from the algorithms that are left; a set S of k is chosen
// with a probability in the proportion
//
//   exp(nu_k) * exp(mean of beta over S),     nu_1 = 0
//   beta ~ Normal(0, sigma),     sigma ~ LogNormal(0, log_sigma_sd),     nu ~ Normal(0, nu_sd)
//
// The sum over all sets of k is an elementary symmetric polynomial, computed by its recursion. The
// built-in sampler is checked against this program.
data {
  int<lower=2> L;                             // algorithms
  int<lower=1> R;                             // different rankings
  array[R, L] int<lower=0, upper=L> place;    // 1 the best; ties share it; 0 is not in the ranking
  array[R] int<lower=0> choices;              // places that were chosen: the rest is below, unordered
  array[R] int<lower=1> counts;               // how often each occurred
  int<lower=0> T;                             // sizes of ties that occurred: how many ...
  array[T] int<lower=2, upper=L> tie;         // ... and which
  real<lower=0> log_sigma_sd;                 // prior sd of log sigma
  real<lower=0> nu_sd;                        // prior sd of nu
}
parameters {
  vector[L] z;                                // abilities over sigma
  real log_sigma;                             // of the abilities' sd
  vector[T] nu;                               // how likely ties of each size are
}
transformed parameters {
  vector[L] abilities = exp(log_sigma) * z;
}
model {
  z ~ std_normal();
  log_sigma ~ normal(0, log_sigma_sd);
  nu ~ normal(0, nu_sd);
  for (r in 1:R) {
    for (c in 1:choices[r]) {
      real sets = 0;                          // sum over sets of one, and of each size of ties
      real chosen = 0;
      int members = 0;
      for (t in 0:T) {
        int k = t == 0 ? 1 : tie[t];
        vector[k + 1] e = append_row(1, zeros_vector(k));
        for (l in 1:L) {
          if (place[r, l] >= c) {
            for (j in 1:k) {                  // from the largest set down
              e[k + 2 - j] += e[k + 1 - j] * exp(abilities[l] / k);
            }
          }
        }
        sets += e[k + 1] * (t == 0 ? 1 : exp(nu[t]));
      }
      for (l in 1:L) {
        if (place[r, l] == c) {
          chosen += abilities[l];
          members += 1;
        }
      }
      chosen /= members;
      for (t in 1:T) {
        if (tie[t] == members) chosen += nu[t];
      }
      target += counts[r] * (chosen - log(sets));
    }
  }
}
generated quantities {
  real sigma = exp(log_sigma);
}
