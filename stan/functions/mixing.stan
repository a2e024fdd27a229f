// Mixing variables: a normal whose precision is multiplied by kappa ~ Gamma(nu/2, nu/2) is a
// Student-t with nu degrees of freedom.

// Logs of kappa from standardised ones, which have mean 0 and standard deviation 1 whatever nu is.
vector log_mixing(vector z, real nu) {
  return digamma(nu / 2) - log(nu / 2) + sqrt(trigamma(nu / 2)) * z;
}

// Log density of z, given log_kappa = log_mixing(z, nu): the gamma's times its Jacobian.
real mixing_lpdf(vector z, vector log_kappa, real nu) {
  real half_nu = nu / 2;
  return half_nu * (sum(log_kappa) - sum(exp(log_kappa)))
         + num_elements(z) * (half_nu * log(half_nu) - lgamma(half_nu) + log(trigamma(half_nu)) / 2);
}
