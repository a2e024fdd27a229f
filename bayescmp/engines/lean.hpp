// What a Stan program and the sampler need of Stan: included before the C++ that stanc makes of a
// program, in place of Stan's own <stan/model/model_header.hpp>, whose include guards are set here.
//
// Stan's header brings solvers of differential and algebraic equations, quadrature, Fourier
// transforms, hypergeometric functions and all distributions, and compiles the log density sixteen
// times over: for every kind of vector, with and without constants and Jacobians. The sampler calls
// one: reverse mode, up to a constant, with Jacobians. What is left out is left out whole: a program
// that needs it does not compile, and is then compiled with Stan's own header. The distributions
// that a program names are included after this file.
#define STAN_MODEL_MODEL_HEADER_HPP
#define STAN_MODEL_MODEL_BASE_CRTP_HPP
#define STAN_MATH_PRIM_HPP
#define STAN_MATH_PRIM_PROB_HPP
#define STAN_MATH_REV_HPP
#define STAN_MATH_MIX_HPP

// Solvers and parallel maps
#define STAN_MATH_PRIM_FUNCTOR_ALGEBRA_SOLVER_ADAPTER_HPP
#define STAN_MATH_PRIM_FUNCTOR_COUPLED_ODE_SYSTEM_HPP
#define STAN_MATH_PRIM_FUNCTOR_FINITE_DIFF_GRADIENT_HPP
#define STAN_MATH_PRIM_FUNCTOR_FINITE_DIFF_GRADIENT_AUTO_HPP
#define STAN_MATH_PRIM_FUNCTOR_HCUBATURE_HPP
#define STAN_MATH_PRIM_FUNCTOR_INTEGRATE_1D_HPP
#define STAN_MATH_PRIM_FUNCTOR_INTEGRATE_1D_ADAPTER_HPP
#define STAN_MATH_PRIM_FUNCTOR_INTEGRATE_ODE_RK45_HPP
#define STAN_MATH_PRIM_FUNCTOR_INTEGRATE_ODE_STD_VECTOR_INTERFACE_ADAPTER_HPP
#define STAN_MATH_PRIM_FUNCTOR_MAP_RECT_HPP
#define STAN_MATH_PRIM_FUNCTOR_MAP_RECT_COMBINE_HPP
#define STAN_MATH_PRIM_FUNCTOR_MAP_RECT_CONCURRENT_HPP
#define STAN_MATH_PRIM_FUNCTOR_MAP_RECT_MPI_HPP
#define STAN_MATH_PRIM_FUNCTOR_MAP_RECT_REDUCE_HPP
#define STAN_MATH_PRIM_FUNCTOR_MPI_CLUSTER_HPP
#define STAN_MATH_PRIM_FUNCTOR_MPI_COMMAND_HPP
#define STAN_MATH_PRIM_FUNCTOR_MPI_DISTRIBUTED_APPLY_HPP
#define STAN_MATH_PRIM_FUNCTOR_MPI_PARALLEL_CALL_HPP
#define STAN_MATH_PRIM_FUNCTOR_ODE_CKRK_HPP
#define STAN_MATH_PRIM_FUNCTOR_ODE_RK45_HPP
#define STAN_MATH_PRIM_FUNCTOR_ODE_STORE_SENSITIVITIES_HPP
#define STAN_MATH_PRIM_FUNCTOR_REDUCE_SUM_HPP
#define STAN_MATH_PRIM_FUNCTOR_REDUCE_SUM_STATIC_HPP
// The same, and their derivatives
#define STAN_MATH_REV_FUNCTOR_FP_SOLVER_HPP
#define STAN_MATH_REV_FUNCTOR_ALGEBRA_SYSTEM_HPP
#define STAN_MATH_REV_FUNCTOR_COUPLED_ODE_SYSTEM_HPP
#define STAN_MATH_REV_FUNCTOR_INTEGRATE_ODE_CVODES_HPP
#define STAN_MATH_REV_FUNCTOR_CVODES_INTEGRATOR_ADJOINT_HPP
#define STAN_MATH_REV_FUNCTOR_CVODES_UTILS_HPP
#define STAN_MATH_REV_FUNCTOR_DAE_HPP
#define STAN_MATH_REV_FUNCTOR_DAE_RESIDUAL_HPP
#define STAN_MATH_REV_FUNCTOR_HESSIAN_HPP
#define STAN_MATH_REV_FUNCTOR_HESSIAN_TIMES_VECTOR_HPP
#define STAN_MATH_REV_FUNCTOR_IDAS_INTEGRATOR_HPP
#define STAN_MATH_REV_FUNCTOR_IDAS_SERVICE_HPP
#define STAN_MATH_REV_FUNCTOR_integrate_1d_HPP
#define STAN_MATH_REV_FUNCTOR_INTEGRATE_ODE_ADAMS_HPP
#define STAN_MATH_REV_FUNCTOR_INTEGRATE_ODE_BDF_HPP
#define STAN_MATH_REV_FUNCTOR_JACOBIAN_HPP
#define STAN_MATH_REV_FUNCTOR_KINSOL_DATA_HPP
#define STAN_MATH_REV_FUNCTOR_KINSOL_SOLVE_HPP
#define STAN_MATH_REV_FUNCTOR_MAP_RECT_CONCURRENT_HPP
#define STAN_MATH_REV_FUNCTOR_MAP_RECT_REDUCE_HPP
#define STAN_MATH_REV_FUNCTOR_ODE_ADAMS_HPP
#define STAN_MATH_REV_FUNCTOR_ODE_ADJOINT_HPP
#define STAN_MATH_REV_FUNCTOR_ODE_BDF_HPP
#define STAN_MATH_REV_FUNCTOR_ODE_STORE_SENSITIVITIES_HPP
#define STAN_MATH_REV_FUNCTOR_REDUCE_SUM_HPP
#define STAN_MATH_REV_FUNCTOR_SOLVE_NEWTON_HPP
#define STAN_MATH_REV_FUNCTOR_SOLVE_POWELL_HPP
// Special functions and decompositions
#define STAN_MATH_PRIM_FUN_PHI_HPP
#define STAN_MATH_PRIM_FUN_PHI_APPROX_HPP
#define STAN_MATH_PRIM_FUN_AUTOCORRELATION_HPP
#define STAN_MATH_PRIM_FUN_AUTOCOVARIANCE_HPP
#define STAN_MATH_PRIM_FUN_BESSEL_FIRST_KIND_HPP
#define STAN_MATH_PRIM_FUN_BESSEL_SECOND_KIND_HPP
#define STAN_MATH_PRIM_FUN_BETA_HPP
#define STAN_MATH_PRIM_FUN_BINOMIAL_COEFFICIENT_LOG_HPP
#define STAN_MATH_PRIM_FUN_COMPLEX_SCHUR_DECOMPOSE_HPP
#define STAN_MATH_PRIM_FUN_COV_EXP_QUAD_HPP
#define STAN_MATH_PRIM_FUN_CSR_EXTRACT_HPP
#define STAN_MATH_PRIM_FUN_CSR_EXTRACT_U_HPP
#define STAN_MATH_PRIM_FUN_CSR_EXTRACT_V_HPP
#define STAN_MATH_PRIM_FUN_CSR_EXTRACT_W_HPP
#define STAN_MATH_PRIM_FUN_CSR_MATRIX_TIMES_VECTOR_HPP
#define STAN_MATH_PRIM_FUN_CSR_TO_DENSE_MATRIX_HPP
#define STAN_MATH_PRIM_FUN_CSR_U_TO_Z
#define STAN_MATH_PRIM_FUN_CHOOSE_HPP
#define STAN_MATH_PRIM_FUN_CUMULATIVE_SUM_HPP
#define STAN_MATH_PRIM_FUN_EIGENDECOMPOSE_HPP
#define STAN_MATH_PRIM_FUN_EIGENDECOMPOSE_SYM_HPP
#define STAN_MATH_PRIM_FUN_EIGENVALUES_HPP
#define STAN_MATH_PRIM_FUN_EIGENVALUES_SYM_HPP
#define STAN_MATH_PRIM_FUN_EIGENVECTORS_HPP
#define STAN_MATH_PRIM_FUN_EIGENVECTORS_SYM_HPP
#define STAN_MATH_PRIM_FUN_FALLING_FACTORIAL_HPP
#define STAN_MATH_PRIM_FUN_FFT_HPP
#define STAN_MATH_PRIM_FUN_GAMMA_P_HPP
#define STAN_MATH_PRIM_FUN_GAMMA_Q_HPP
#define STAN_MATH_PRIM_FUN_GENERALIZED_INVERSE_HPP
#define STAN_MATH_PRIM_FUN_COV_DOT_PROD_HPP
#define STAN_MATH_PRIM_FUN_GP_EXP_QUAD_COV_HPP
#define STAN_MATH_PRIM_FUN_GP_EXPONENTIAL_COV_HPP
#define STAN_MATH_PRIM_FUN_GP_MATERN32_COV_HPP
#define STAN_MATH_PRIM_FUN_GP_MATERN52_COV_HPP
#define STAN_MATH_PRIM_FUN_GP_PERIODIC_COV_HPP
#define STAN_MATH_PRIM_FUN_GRAD_2F1_HPP
#define STAN_MATH_PRIM_FUN_GRAD_F32_HPP
#define STAN_MATH_PRIM_FUN_GRAD_INC_BETA_HPP
#define STAN_MATH_PRIM_FUN_GRAD_PFQ_HPP
#define STAN_MATH_PRIM_FUN_GRAD_REG_INC_BETA_HPP
#define STAN_MATH_PRIM_FUN_GRAD_REG_INC_GAMMA_HPP
#define STAN_MATH_PRIM_FUN_LOWER_REG_INC_GAMMA_HPP
#define STAN_MATH_PRIM_FUN_HYPERGEOMETRIC_1F0_HPP
#define STAN_MATH_PRIM_FUN_HYPERGEOMETRIC_2F1_HPP
#define STAN_MATH_PRIM_FUN_HYPERGEOMETRIC_2F2_HPP
#define STAN_MATH_PRIM_FUN_HYPERGEOMETRIC_3F2_HPP
#define STAN_MATH_PRIM_FUN_HYPERGEOMETRIC_PFQ_HPP
#define STAN_MATH_PRIM_FUN_INC_BETA_HPP
#define STAN_MATH_PRIM_FUN_INC_BETA_DDA_HPP
#define STAN_MATH_PRIM_FUN_INC_BETA_DDB_HPP
#define STAN_MATH_PRIM_FUN_INC_BETA_DDZ_HPP
#define STAN_MATH_PRIM_FUN_INV_ERFC_HPP
#define STAN_MATH_PRIM_FUN_INV_PHI_HPP
#define STAN_MATH_PRIM_FUN_INV_INC_BETA_HPP
#define STAN_MATH_PRIM_FUN_LAMBERT_W_HPP
#define STAN_MATH_PRIM_FUN_LOG_FALLING_FACTORIAL_HPP
#define STAN_MATH_PRIM_FUN_LOG_MIX_HPP
#define STAN_MATH_PRIM_FUN_LOG_MODIFIED_BESSEL_FIRST_KIND_HPP
#define STAN_MATH_PRIM_FUN_LOG_RISING_FACTORIAL_HPP
#define STAN_MATH_PRIM_FUN_MATRIX_EXP_HPP
#define STAN_MATH_PRIM_FUN_MATRIX_EXP_2X2_HPP
#define STAN_MATH_PRIM_FUN_MATRIX_EXP_ACTION_HANDLER_HPP
#define STAN_MATH_PRIM_FUN_MATRIX_EXP_MULTIPLY_HPP
#define STAN_MATH_PRIM_FUN_MATRIX_EXP_PADE_HPP
#define STAN_MATH_PRIM_FUN_MATRIX_POWER_HPP
#define STAN_MATH_PRIM_FUN_MODIFIED_BESSEL_FIRST_KIND_HPP
#define STAN_MATH_PRIM_FUN_MODIFIED_BESSEL_SECOND_KIND_HPP
#define STAN_MATH_PRIM_FUN_OWENS_T_HPP
#define STAN_MATH_PRIM_FUN_PSEUDO_EIGENVALUES_HPP
#define STAN_MATH_PRIM_FUN_PSEUDO_EIGENVECTORS_HPP
#define STAN_MATH_PRIM_FUN_QR_HPP
#define STAN_MATH_PRIM_FUN_QR_Q_HPP
#define STAN_MATH_PRIM_FUN_QR_R_HPP
#define STAN_MATH_PRIM_FUN_QR_THIN_HPP
#define STAN_MATH_PRIM_FUN_QR_THIN_Q_HPP
#define STAN_MATH_PRIM_FUN_QR_THIN_R_HPP
#define STAN_MATH_PRIM_FUN_RISING_FACTORIAL_HPP
#define STAN_MATH_PRIM_FUN_SCALE_MATRIX_EXP_MULTIPLY_HPP
#define STAN_MATH_PRIM_FUN_SINGULAR_VALUES_HPP
#define STAN_MATH_PRIM_FUN_SVD_HPP
#define STAN_MATH_PRIM_FUN_SVD_U_HPP
#define STAN_MATH_PRIM_FUN_SVD_V_HPP
// Their derivatives
#define STAN_MATH_REV_FUN_PHI_HPP
#define STAN_MATH_REV_FUN_PHI_APPROX_HPP
#define STAN_MATH_REV_FUN_BESSEL_FIRST_KIND_HPP
#define STAN_MATH_REV_FUN_BESSEL_SECOND_KIND_HPP
#define STAN_MATH_REV_FUN_BETA_HPP
#define STAN_MATH_REV_FUN_COV_EXP_QUAD_HPP
#define STAN_MATH_REV_FUN_CSR_MATRIX_TIMES_VECTOR_HPP
#define STAN_MATH_REV_FUN_CUMULATIVE_SUM_HPP
#define STAN_MATH_REV_FUN_EIGENDECOMPOSE_HPP
#define STAN_MATH_REV_FUN_EIGENVALUES_HPP
#define STAN_MATH_REV_FUN_EIGENVECTORS_HPP
#define STAN_MATH_REV_FUN_FALLING_FACTORIAL_HPP
#define STAN_MATH_REV_FUN_FFT_HPP
#define STAN_MATH_REV_FUN_GAMMA_P_HPP
#define STAN_MATH_REV_FUN_GAMMA_Q_HPP
#define STAN_MATH_REV_FUN_GENERALIZED_INVERSE_HPP
#define STAN_MATH_REV_FUN_GP_EXP_QUAD_COV_HPP
#define STAN_MATH_REV_FUN_GP_PERIODIC_COV_HPP
#define STAN_MATH_REV_FUN_GRAD_INC_BETA_HPP
#define STAN_MATH_REV_FUN_HYPERGEOMETRIC_1F0_HPP
#define STAN_MATH_REV_FUN_HYPERGEOMETRIC_2F1_HPP
#define STAN_MATH_REV_FUN_HYPERGEOMETRIC_PFQ_HPP
#define STAN_MATH_REV_FUN_INC_BETA_HPP
#define STAN_MATH_REV_FUN_INV_ERFC_HPP
#define STAN_MATH_REV_FUN_INV_PHI_HPP
#define STAN_MATH_REV_FUN_INV_INC_BETA_HPP
#define STAN_MATH_REV_FUN_LAMBERT_W_HPP
#define STAN_MATH_REV_FUN_LOG_FALLING_FACTORIAL_HPP
#define STAN_MATH_REV_FUN_LOG_MIX_HPP
#define STAN_MATH_REV_FUN_LOG_RISING_FACTORIAL_HPP
#define STAN_MATH_REV_FUN_MATRIX_EXP_MULTIPLY_HPP
#define STAN_MATH_REV_FUN_MATRIX_POWER_HPP
#define STAN_MATH_REV_FUN_MODIFIED_BESSEL_FIRST_KIND_HPP
#define STAN_MATH_REV_FUN_MODIFIED_BESSEL_SECOND_KIND_HPP
#define STAN_MATH_REV_FUN_OWENS_T_HPP
#define STAN_MATH_REV_FUN_RISING_FACTORIAL_HPP
#define STAN_MATH_REV_FUN_SINGULAR_VALUES_HPP
#define STAN_MATH_REV_FUN_SVD_HPP
#define STAN_MATH_REV_FUN_SVD_U_HPP
#define STAN_MATH_REV_FUN_SVD_V_HPP
// Sundials
#define STAN_MATH_PRIM_ERR_CHECK_FLAG_SUNDIALS_HPP

#include <stan/math/rev/core.hpp>
#include <stan/math/rev/meta.hpp>
#include <stan/math/rev/fun.hpp>
#include <stan/math/rev/functor.hpp>
#include <stan/math/prim/core.hpp>
#include <stan/math/prim/meta.hpp>
#include <stan/math/prim/err.hpp>
#include <stan/math/prim/fun.hpp>

#include <stan/io/deserializer.hpp>
#include <stan/io/serializer.hpp>
#include <stan/model/indexing.hpp>
#include <stan/model/model_base.hpp>
#include <stan/model/rethrow_located.hpp>
#include <stan/services/util/create_rng.hpp>

#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace stan::model {

template <typename M>
class model_base_crtp : public model_base {
  using Draw = Eigen::VectorXd;
  using Vars = Eigen::Matrix<math::var, -1, 1>;
  using Reals = std::vector<double>;
  using VarReals = std::vector<math::var>;
  using Ints = std::vector<int>;
  using Out = std::ostream*;

  [[noreturn]] static void unused() { throw std::logic_error("a chain does not call this"); }

 public:
  using model_base::model_base;

  // The sampler's: the gradient is taken of it.
  math::var log_prob_propto_jacobian(Vars& x, Out out) const override {
    return static_cast<const M*>(this)->template log_prob<true, true>(x, out);
  }
  // The two that initialisation calls. Of the second it looks only whether it is finite.
  math::var log_prob_propto_jacobian(VarReals& x, Ints&, Out out) const override {
    Vars copy = Eigen::Map<Vars>(x.data(), x.size());
    return log_prob_propto_jacobian(copy, out);
  }
  double log_prob_jacobian(Reals& x, Ints&, Out out) const override {
    math::nested_rev_autodiff nested;
    Vars copy = Eigen::Map<Draw>(x.data(), x.size()).template cast<math::var>();
    return log_prob_propto_jacobian(copy, out).val();
  }
  // The writer of draws.
  void write_array(rng_t& rng, Reals& x, Ints& ints, Reals& draw, bool parameters, bool generated,
                   Out out) const override {
    static_cast<const M*>(this)->write_array(rng, x, ints, draw, parameters, generated, out);
  }

  double log_prob(Draw&, Out) const override { unused(); }
  double log_prob(Reals&, Ints&, Out) const override { unused(); }
  math::var log_prob(Vars&, Out) const override { unused(); }
  math::var log_prob(VarReals&, Ints&, Out) const override { unused(); }
  double log_prob_jacobian(Draw&, Out) const override { unused(); }
  math::var log_prob_jacobian(Vars&, Out) const override { unused(); }
  math::var log_prob_jacobian(VarReals&, Ints&, Out) const override { unused(); }
  double log_prob_propto(Draw&, Out) const override { unused(); }
  double log_prob_propto(Reals&, Ints&, Out) const override { unused(); }
  math::var log_prob_propto(Vars&, Out) const override { unused(); }
  math::var log_prob_propto(VarReals&, Ints&, Out) const override { unused(); }
  double log_prob_propto_jacobian(Draw&, Out) const override { unused(); }
  double log_prob_propto_jacobian(Reals&, Ints&, Out) const override { unused(); }
  void write_array(rng_t&, Draw&, Draw&, bool, bool, Out) const override { unused(); }
};

}  // namespace stan::model
