"""The one list of metric names: which way is better, and in what range.

Each line is a metric with its spellings and close kin; capitals, underscores, dots and spaces
don't matter. On the lines of the metrics that `bayescmp.rates` computes, every spelling is that
very quantity.
"""

from __future__ import annotations

__all__ = [
    "BLURRING",
    "HIGHER",
    "LOWER",
    "NEAR_ZERO",
    "PREFIXES",
    "SUFFIXES",
    "TIMED",
    "TOKENS_HIGHER",
    "TOKENS_LOWER",
]

#: Higher is better, by range.
HIGHER: dict[tuple[float, float] | None, str] = {
    (0.0, 1.0): """
accuracy: acc predictive_accuracy overall_accuracy
balanced_accuracy: bal_acc bacc bal_accuracy
top_k_accuracy: top_k_categorical_accuracy sparse_top_k_categorical_accuracy
binary_accuracy: categorical_accuracy sparse_categorical_accuracy
roc_auc: auc auroc auc_roc roc area_under_roc area_under_roc_curve mauc auc_mu roc_aunp roc_aunu
pr_auc: auc_pr aucpr prauc auprc area_under_prc area_under_pr auc_pr_trapezoid
average_precision: ap
mean_average_precision: map label_ranking_average_precision
tpr: recall sensitivity sens true_positive_rate hit_rate ir_recall
detection_rate:
hits: hits_at_k
tnr: specificity spec true_negative_rate selectivity
precision: ppv pos_pred_value positive_predictive_value ir_precision
npv: neg_pred_value negative_predictive_value
f1: f1_score f1_measure f_measure f_score dice dice_score dice_coefficient
fbeta: fbeta_score f_meas f2 f2_score f0_5 f
jaccard: iou jaccard_score jaccard_index critical_success_index csi threat_score
mean_iou:
ndcg: ndcg_score normalized_dcg
mrr: mean_reciprocal_rank
exact_match: em
pass_at_1: pass_1
success_rate: win_rate
concordance: c_index cindex concordance_index concordance_survival
homogeneity: homogeneity_score
completeness: completeness_score
v_measure: v_measure_score
fowlkes_mallows: fowlkes_mallows_score
purity:
r_precision:
word_information_preserved: wip
panoptic_quality: pq
ssim: ms_ssim structural_similarity
stoi:
""",
    (-1.0, 1.0): """
mcc: matthews_corrcoef matthews_correlation matthews_correlation_coefficient matthews_corr_coef
kappa: cohen_kappa cohen_kappa_score cohens_kappa kappa_statistic kap quadratic_weighted_kappa qwk
informedness: youden youden_j youdens_j j_index
markedness:
adjusted_rand_score: ari adjusted_rand_index
pearson: pearsonr pearson_corrcoef pearson_corr_coef pearson_correlation
spearman: spearmanr spearman_corrcoef spearman_corr_coef spearman_correlation srho
kendall: kendalltau kendall_tau ktau kendall_rank_corr_coef
concordance_correlation: ccc concordance_corr_coef concordance_correlation_coefficient
silhouette: silhouette_score
cosine_similarity:
""",
    None: """
percent_correct: pct_correct
number_correct: num_correct
tp: true_positives num_true_positives
tn: true_negatives num_true_negatives
r2: r2_score rsq rsquared r_squared rsq_trad coefficient_of_determination
explained_variance: explained_variance_score
d2: d2_absolute_error_score d2_pinball_score d2_tweedie_score d2_log_loss_score d2_brier_score
mutual_information: mutual_info mutual_info_score
normalized_mutual_information: nmi normalized_mutual_info_score
adjusted_mutual_information: ami adjusted_mutual_info_score
rand_score: rand_index
calinski_harabasz: calinski_harabasz_score variance_ratio_criterion
dunn: dunn_index
positive_likelihood_ratio:
diagnostic_odds_ratio: dor
gain_capture: lift
kb_information: kb_mean_information kb_relative_information kb_relative_information_score
mean_entropy_gain: sf_mean_entropy_gain
dcg: dcg_score
bleu: bleu_score sacre_bleu
rouge: rouge_score rouge_l rouge_lsum
meteor:
chrf: chrf_score
comet:
bertscore: bert_score
inception_score:
psnr: peak_signal_noise_ratio
pesq: dnsmos nisqa srmr mos
sdr: si_sdr si_snr snr
log_likelihood: loglik loglikelihood log_lik logprob log_prob
elbo: evidence_lower_bound
elpd: elpd_loo elpd_waic
rpd: ratio_of_performance_to_deviation
rpiq:
elo: elo_rating
reward: episode_reward mean_reward
return: episode_return mean_return
throughput: tokens_per_second samples_per_second
fps: frames_per_second
""",
}

#: Lower is better, by range; an open end is infinite.
LOWER: dict[tuple[float, float] | None, str] = {
    (0.0, 1.0): """
error: err error_rate misclassification misclassification_rate zero_one_loss ce mmce merror
classification_error: multi_error binary_error
balanced_error: ber balanced_error_rate
fpr: false_positive_rate fall_out false_alarm_rate false_accept_rate far
fnr: false_negative_rate miss_rate false_reject_rate frr
fdr: false_discovery_rate
false_omission_rate: fomr
hamming: hamming_loss hamming_distance
brier: brier_score brier_score_loss bbrier brier_class
ece: expected_calibration_error calibration_error max_calibration_error mce
eer: equal_error_rate
""",
    (0.0, float("inf")): """
log_loss: logloss mn_log_loss multi_logloss binary_logloss mlogloss intlogloss
cross_entropy: crossentropy binary_crossentropy categorical_crossentropy
sparse_categorical_crossentropy:
hinge_loss: hinge squared_hinge categorical_hinge
multiclass_brier: mbrier
integrated_brier: ibs graf brier_survival brier_survival_integrated
mse: mean_squared_error l2
rmse: root_mean_squared_error rms rmsd
mae: mean_absolute_error l1
median_absolute_error: medae mdae
median_squared_error: medse
max_error: maxae
mape: mean_absolute_percentage_error mdape wmape wape
smape: symmetric_mean_absolute_percentage_error
mase: mean_absolute_scaled_error msse rmsse
msle: mean_squared_log_error
rmsle: root_mean_squared_log_error
nrmse: normalized_rmse nrmsd normalized_root_mean_squared_error
relative_absolute_error: rae
relative_squared_error: rse
root_relative_squared_error: rrse
sum_of_squared_errors: sse sae ssr rss wss
log_cosh: log_cosh_error
huber: huber_loss huber_loss_pseudo
pinball: mean_pinball_loss pinball_loss quantile_loss
wql: mean_weighted_sum_quantile_loss sql
winkler: interval_score winkler_score mean_interval_score msis wis
owa: overall_weighted_average
crps: ranked_prob_score ranked_probability_score continuous_ranked_probability_score rps
energy_score:
variogram_score:
mean_poisson_deviance: mean_gamma_deviance mean_tweedie_deviance tweedie_deviance_score
percent_incorrect: pct_incorrect percent_unclassified
number_incorrect: num_incorrect number_unclassified
fp: false_positives num_false_positives
fn: false_negatives num_false_negatives
coverage_error:
label_ranking_loss:
davies_bouldin: davies_bouldin_score
negative_likelihood_ratio:
wer: word_error_rate
cer: char_error_rate character_error_rate
ter: translation_edit_rate
der: diarization_error_rate
match_error_rate: mer
word_information_lost: wil
edit_distance: levenshtein levenshtein_distance eed
perplexity: ppl
bits_per_dim: bpd bits_per_character bpc bits_per_byte bpb
fid: frechet_inception_distance
kid: kernel_inception_distance
lpips:
ergas: rase sam
hausdorff: hausdorff_distance hd95
assd: average_symmetric_surface_distance
wasserstein: wasserstein_distance emd earth_movers_distance
kl_divergence: kld kullback_leibler kullback_leibler_divergence
js_divergence: jensen_shannon_divergence
roc_dist:
rank: mean_rank average_rank avg_rank median_rank
memory: memory_mb memory_gb peak_memory max_memory
toxicity:
""",
    None: """
loss:
deviance:
nll: negative_log_likelihood neg_log_likelihood nloglik mean_nll
aic: aicc bic waic looic dic
cost: classification_cost costs total_cost
risk:
regret: simple_regret cumulative_regret
rcll: schmid
min_dcf:
""",
}

#: Best near zero: neither more nor less of it is better.
NEAR_ZERO = """
bias mean_bias mbe mean_bias_error pbias mpe mean_percentage_error msd mean_signed_deviation
signed_error
"""

#: Words that tell by themselves, wherever they stand in a name that is not in the lists.
TOKENS_HIGHER = """
accuracy acc auc auroc auprc f1 precision recall sensitivity specificity mcc kappa r2 d2 dice iou
jaccard ndcg bleu rouge correct reward similarity correlation likelihood loglik elbo elpd
concordance throughput psnr ssim success skill agreement purity reciprocal hits
"""

TOKENS_LOWER = """
loss losses error errors err regret rmse mse mae mape smape mase nrmse rmsle crps nll brier wer cer
perplexity ppl fid latency runtime cost costs risk penalty fpr fnr fdr misclassified
misclassification incorrect mistakes divergence deviance logloss crossentropy pinball violations
false miss duration inaccuracy nloglik
"""

#: Words that turn or blur what the others say: "error reduction", "accuracy std".
BLURRING = """
reduction reduced improvement improved drop decrease decreased increase increased change delta diff
difference saving savings saved free tolerance gap variance var std sd stdev stderr se sem ci low
high upper weight slope threshold inverse inv complement non not no without count number n num
significance pvalue p_value normaliser gain explained bias target
"""

#: Beside "time": what took it, and its unit.
TIMED = """
fit fitting score scoring train training test testing pred predict prediction inference infer run
wall clock cpu user usercpu elapsed total response execution exec search tuning build query both
compute mean median avg average s sec secs second seconds ms millis milliseconds us min mins
minute minutes h hour hours per epoch step iteration item sample batch timetrain
"""

#: What stands before a metric's name and is no part of it.
PREFIXES = """
test mean valid val validation dev eval holdout cv oof avg average classif regr surv clust dens
macro micro weighted unweighted overall binary multi multiclass metrics metric final best summary
train training area under predictive sf ir
"""

#: What stands behind it, numbers aside.
SUFFIXES = """
test train val valid mean avg average median macro micro weighted samples ovr ovo binary score
value final best index coefficient percent pct rate s sec seconds ms
"""
