"""Is B better than A, worse, or practically the same?

Bayesian comparison of learning algorithms from cross-validated scores, with the frequentist tests
beside it. A map of what there is; ``help(bc.compare)`` and so on tell more of each:

From results to a table
    ``Scores``, ``Items`` (a row per question), ``Resampling``, ``run_experiment``
From a table to an answer
    ``compare`` (two algorithms), ``compare_all`` (all pairs), ``crosscheck`` (the frequentist
    tests beside them), ``gate`` (pass, fail or undecided), ``report`` (all of it in a file),
    ``which_test``, ``procedure``
What an answer says
    ``Posterior`` with ``.verdict()``, ``.summary()``, ``.plot()``, ``.sensitivity()``,
    ``.plan()``, ``.save()`` (read by ``load``); ``Verdict``, ``Odds``, ``Rope``
Before there are data
    ``plan``, ``plan_items``, ``calibrate``
The tests themselves
    ``bayesian`` (``hierarchical_t``, ``correlated_t``, ``signed_rank``, ``groups``, ``joint_t``,
    ...), ``frequentist`` (``wilcoxon``, ``friedman``, ``nemenyi``, ``hotelling_paired``, ...);
    they take arrays as well as ``Differences``, ``Runs`` and ``Blocks``
Around them
    ``plots``, ``curves`` (ROC, precision-recall), ``sklearn`` (a model to pick), ``engines``
    (who fits a model), ``catalogue`` (which tests there are, and how to add one)

Names are imported when they are first used: ``import bayescmp`` loads no engine, no ArviZ and no
plotting.

Examples
--------
>>> import bayescmp as bc
>>> post = bc.bayesian.correlated_t([0.02, 0.04, 0.03, 0.03], rho=0.25, rope=0.01)
>>> post.verdict().decision
'second'
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
