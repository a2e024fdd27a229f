"""How the logs were made by the real programs: python make_logs.py PROGRAM FOLDER.

With inspect_ai 0.3.285 (and 0.3.110 for deflated.eval), every-eval-ever 0.3.0, crfm-helm 0.5.16,
mteb 2.26.24, swebench 5.0.2, lm_eval 0.4.13 and promptfoo 0.121.20, each in an environment of its
own and without a network, so that models are mocks.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

SUMS = [
    {"question": "1+1?", "answer": "2", "choices": ["2", "3"], "label": 0},
    {"question": "2+2?", "answer": "4", "choices": ["5", "4"], "label": 1},
    {"question": "3+3?", "answer": "6", "choices": ["6", "1"], "label": 0},
]


def inspect(folder: Path) -> None:
    """Two models, three sums, two epochs; nested scores; a log in JSON; a run that stopped."""
    import contextlib

    from inspect_ai import Task, eval, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, get_model, modelapi
    from inspect_ai.model._providers.mockllm import MockLLM
    from inspect_ai.scorer import Score, match, mean, scorer
    from inspect_ai.solver import generate

    class Words:
        def encode(self, text: str, **options: object) -> list[str]:
            return text.split()

    with contextlib.suppress(ImportError):  # older versions count no tokens
        import tiktoken

        tiktoken.get_encoding = lambda name: Words()  # its own is downloaded

    @modelapi(name="llamacpp")  # every-eval-ever wants to know who made a model
    def mock() -> type:
        return MockLLM

    @scorer(metrics=[mean()])
    def length():
        async def score(state, target) -> Score:
            return Score(value=len(state.output.completion) / 4)

        return score

    @scorer(metrics={"relevance": [mean()], "style": [mean()]})
    def rubric():
        async def score(state, target) -> Score:
            n = len(state.output.completion)
            return Score(value={"relevance": n % 3, "style": n % 2 == 1})

        return score

    def samples(n: int) -> MemoryDataset:
        return MemoryDataset(
            [
                Sample(id=f"q{i}", input=f"{i}+{i}?", target=str(2 * i), metadata={"page": i // 2})
                for i in range(n)
            ]
        )

    @task
    def sums() -> Task:
        return Task(dataset=samples(3), solver=generate(), scorer=[match(), length()])

    @task
    def rubrics() -> Task:
        return Task(dataset=samples(2), solver=generate(), scorer=rubric())

    def run(
        name: str, made: Task, model: str, words: str, kind: str = "eval", **more: int
    ) -> None:
        outputs = (ModelOutput.from_content(model.split("/", 1)[1], w) for w in words.split())
        known = get_model(model, custom_outputs=outputs, memoize=False)
        quiet = {"display": "none", "max_connections": 1, "max_samples": 1}
        log = eval(made, model=known, log_dir=str(folder), log_format=kind, **quiet, **more)[0]
        Path(log.location.removeprefix("file://")).rename(folder / f"{name}.{kind}")

    run("small", sums(), "llamacpp/EleutherAI/pythia-70m", "0 2 9 0 1 14", epochs=2)
    run("large", sums(), "llamacpp/EleutherAI/pythia-160m", "0 2 4 0 2 14", epochs=2)
    run("rubrics", rubrics(), "mockllm/small", "0 22")
    run("stopped", sums(), "mockllm/small", "0 2")
    run("written", sums(), "mockllm/json", "0 2 7", "json")


def every_eval_ever(folder: Path) -> None:
    """Conversions of the logs of Inspect and lm-evaluation-harness that stand beside FOLDER."""
    for kind, source, options in (
        ("inspect", "inspect/small.eval", []),
        ("inspect", "inspect/large.eval", []),
        ("lm_eval", "lm_eval/EleutherAI__pythia-70m", ["--include_samples"]),
        ("lm_eval", "lm_eval/EleutherAI__pythia-160m", ["--include_samples"]),
    ):
        command = [sys.executable, "-m", "every_eval_ever", "convert", kind, *options]
        paths = ["--log_path", folder.parent / source, "--output_dir", folder]
        subprocess.run([*command, *paths, "--source_organization_name", "tiny"], check=True)


def helm(folder: Path) -> None:
    """Two instances, each also in small letters, two draws of the examples."""
    entry = (
        "synthetic_reasoning:mode=pattern_match,model=simple/model1,"
        "data_augmentation=lower,num_train_trials=2"
    )
    command = ["helm-run", "--run-entries", entry, "--suite", "s", "--max-eval-instances", "2"]
    subprocess.run([*command, "-o", folder, "--disable-cache"], check=True)


def helm_reads(folder: Path) -> None:
    """Every mean of every instance, as HELM's own reader has them, beside the run in FOLDER."""
    from helm.benchmark.metrics.metric import PerInstanceStats
    from helm.common.codec import from_json

    text = (folder / "per_instance_stats.json").read_text()
    rows = [
        [
            stat.name.split,
            None if one.perturbation is None else one.perturbation.name,
            stat.name.name,
            one.instance_id,
            one.train_trial_index,
            stat.mean,
        ]
        for one in from_json(text, list[PerInstanceStats])
        for stat in one.stats
    ]
    (folder / "own.json").write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")


def lm_eval(folder: Path) -> None:
    """Two tasks, one of them with two metrics, the other with two filters."""
    (folder / "sums.jsonl").write_text("".join(json.dumps(s) + "\n" for s in SUMS))
    data = {"dataset_path": "json", "dataset_kwargs": {"data_files": {"test": "sums.jsonl"}}}
    common = {**data, "test_split": "test", "doc_to_text": "{{question}}"}

    def metrics(*names: str) -> list[dict[str, object]]:
        return [{"metric": n, "aggregation": "mean", "higher_is_better": True} for n in names]

    tasks = {
        "tiny_mc": {
            "output_type": "multiple_choice",
            "doc_to_target": "label",
            "doc_to_choice": "{{choices}}",
            "metric_list": metrics("acc", "acc_norm"),
        },
        "tiny_gen": {
            "output_type": "generate_until",
            "doc_to_target": "answer",
            "generation_kwargs": {"until": ["\n"]},
            "metric_list": metrics("exact_match"),
            "filter_list": [
                {"name": n, "filter": [*first, {"function": "take_first"}]}
                for n, first in (
                    ("strict", [{"function": "regex", "regex_pattern": "(\\d+)"}]),
                    ("loose", []),
                )
            ],
        },
    }
    for name, own in tasks.items():
        (folder / f"{name}.yaml").write_text(json.dumps({"task": name, **common, **own}))
    for seed, model in enumerate(("EleutherAI/pythia-70m", "EleutherAI/pythia-160m")):
        command = ["lm_eval", "run", "--model", "dummy", "--model_args", f"pretrained={model}"]
        rest = ["--include_path", ".", "--output_path", ".", "--log_samples", "--seed", str(seed)]
        subprocess.run([*command, "--tasks", ",".join(tasks), *rest], check=True, cwd=folder)


def mteb(folder: Path) -> None:
    """Results of two models on three tasks, one of them in several languages."""
    import mteb as library
    from mteb.results import BenchmarkResults, ModelResult, TaskResult

    given = {
        "baai/bge-small": {"STSBenchmark": 0.81, "SciFact": 0.7, "MTOPDomainClassification": 0.9},
        "baai/bge-large": {"STSBenchmark": 0.84, "SciFact": 0.72},
    }
    models = []
    for model, scores in given.items():
        results = []
        place = folder / "results" / model.replace("/", "__") / "abc123"
        place.mkdir(parents=True)
        (place / "model_meta.json").write_text(json.dumps({"name": model, "revision": "abc123"}))
        for name, score in scores.items():
            task = library.get_task(name)
            parts = task.hf_subsets[:3]
            made = {s: {"main_score": score - i / 10} for i, s in enumerate(parts)}
            result = TaskResult.from_task_results(task, {"test": made}, evaluation_time=1.5)
            result.to_disk(place / f"{name}.json")
            results.append(result)
        whole = {"model_name": model, "model_revision": "abc123", "task_results": results}
        models.append(ModelResult(**whole))
    models[0].to_disk(folder / "model.json")
    both = BenchmarkResults(model_results=models)
    both.to_disk(folder / "both.json")
    for name, how in (
        ("wide", {}),
        ("long", {"format": "long"}),
        ("subsets", {"aggregation_level": "subset"}),
    ):
        both.to_dataframe(**how).to_csv(folder / f"{name}.csv", index=False)


def swebench(folder: Path) -> None:
    """Reports on five instances: resolved, unresolved, empty, failed, not submitted."""
    os.chdir(folder)
    from swebench.harness.constants import LOG_REPORT, RUN_EVALUATION_LOG_DIR
    from swebench.harness.reporting import make_run_report

    names = [f"django__django-{n}" for n in (101, 102, 103)] + ["sympy__sympy-7", "sympy__sympy-8"]
    for model, outcomes in (("org/small-1.5", "YNE0N"), ("org/large-1.5", "YYN-Y")):
        predictions = {}
        for name, outcome in zip(names, outcomes, strict=True):
            if outcome == "-":
                continue
            patch = "" if outcome == "0" else "diff"
            own = {"instance_id": name, "model_name_or_path": model, "model_patch": patch}
            predictions[name] = own
            if outcome in "YN":
                place = RUN_EVALUATION_LOG_DIR / "run1" / model.replace("/", "__") / name
                place.mkdir(parents=True)
                (place / LOG_REPORT).write_text(json.dumps({name: {"resolved": outcome == "Y"}}))
        make_run_report(predictions, [{"instance_id": n} for n in names], "run1", None, ".")


def promptfoo(folder: Path) -> None:
    """Two providers and two prompts, two tests, each twice; one answer is an error."""
    (folder / "provider.js").write_text(
        """module.exports = class {
  constructor(options) { this.word = options.config.word; this.label = options.label; }
  id() { return this.label; }
  async callApi(prompt) {
    if (this.word === 'two' && prompt === 'six') return { error: 'no answer' };
    return { output: prompt + ' ' + this.word };
  }
};
"""
    )
    config = {
        "description": "numbers",
        "prompts": [{"raw": "{{q}}", "label": "bare"}, {"raw": "Say {{q}}", "label": "polite"}],
        "providers": [
            {"id": "file://provider.js", "label": name, "config": {"word": word}}
            for name, word in (("small", "two"), ("large", "four"))
        ],
        "tests": [
            {"description": "of 4", "vars": {"q": "four"}, "assert": [_has("our"), _has("Say")]},
            {"vars": {"q": "six"}, "assert": [{**_has("four"), "metric": "fours"}]},
        ],
    }
    (folder / "config.json").write_text(json.dumps(config))
    command = ["npx", "promptfoo", "eval", "-c", "config.json", "-o", "results.json", "--no-cache"]
    subprocess.run([*command, "--repeat", "2"], cwd=folder, check=False)


def promptfoo_reads(folder: Path) -> None:
    """A table of what promptfoo itself reads in FOLDER/results.json, answer by answer."""
    number = json.loads((folder / "results.json").read_text())["evalId"]
    for command in (["import", "results.json"], ["export", "eval", number, "-o", "own.csv"]):
        subprocess.run(["npx", "promptfoo", *command], cwd=folder, check=True)


def _has(text: str) -> dict[str, str]:
    return {"type": "contains", "value": text}


if __name__ == "__main__":
    where = Path(sys.argv[2]).resolve()
    where.mkdir(parents=True, exist_ok=True)
    globals()[sys.argv[1]](where)
