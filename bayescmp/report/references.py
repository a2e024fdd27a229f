"""What the methods paragraph cites, as BibTeX has it."""

from __future__ import annotations

__all__ = ["CITED", "REFERENCES", "short"]

#: Key to type and fields.
REFERENCES: dict[str, tuple[str, dict[str, str]]] = {
    "corani2017": ("article", {
        "author": "Corani, Giorgio and Benavoli, Alessio and Demšar, Janez and Mangili, "
                  "Francesca and Zaffalon, Marco",
        "title": "Statistical comparison of classifiers through {B}ayesian hierarchical modelling",
        "journal": "Machine Learning", "volume": "106", "number": "11", "pages": "1817--1837",
        "year": "2017", "doi": "10.1007/s10994-017-5641-9"}),
    "benavoli2017": ("article", {
        "author": "Benavoli, Alessio and Corani, Giorgio and Demšar, Janez and Zaffalon, Marco",
        "title": "Time for a change: a tutorial for comparing multiple classifiers through "
                 "{B}ayesian analysis",
        "journal": "Journal of Machine Learning Research", "volume": "18", "number": "77",
        "pages": "1--36", "year": "2017"}),
    "benavoli2014": ("inproceedings", {
        "author": "Benavoli, Alessio and Corani, Giorgio and Mangili, Francesca and Zaffalon, "
                  "Marco and Ruggeri, Fabrizio",
        "title": "A {B}ayesian {W}ilcoxon signed-rank test based on the {D}irichlet process",
        "booktitle": "Proceedings of the 31st International Conference on Machine Learning",
        "pages": "1026--1034", "year": "2014"}),
    "corani2015": ("article", {
        "author": "Corani, Giorgio and Benavoli, Alessio",
        "title": "A {B}ayesian approach for comparing cross-validated algorithms on multiple data "
                 "sets",
        "journal": "Machine Learning", "volume": "100", "pages": "285--304", "year": "2015",
        "doi": "10.1007/s10994-015-5486-z"}),
    "nadeau2003": ("article", {
        "author": "Nadeau, Claude and Bengio, Yoshua",
        "title": "Inference for the generalization error",
        "journal": "Machine Learning", "volume": "52", "pages": "239--281", "year": "2003",
        "doi": "10.1023/A:1024068626366"}),
    "demsar2006": ("article", {
        "author": "Demšar, Janez",
        "title": "Statistical comparisons of classifiers over multiple data sets",
        "journal": "Journal of Machine Learning Research", "volume": "7", "pages": "1--30",
        "year": "2006"}),
    "garcia2010": ("article", {
        "author": "García, Salvador and Fernández, Alberto and Luengo, Julián and Herrera, "
                  "Francisco",
        "title": "Advanced nonparametric tests for multiple comparisons in the design of "
                 "experiments in computational intelligence and data mining: Experimental "
                 "analysis of power",
        "journal": "Information Sciences", "volume": "180", "pages": "2044--2064", "year": "2010",
        "doi": "10.1016/j.ins.2009.12.010"}),
    "holm1979": ("article", {
        "author": "Holm, Sture",
        "title": "A simple sequentially rejective multiple test procedure",
        "journal": "Scandinavian Journal of Statistics", "volume": "6", "pages": "65--70",
        "year": "1979"}),
    "yildiz2011": ("inproceedings", {
        "author": "Yıldız, Olcay Taner and Aslan, Özlem and Alpaydın, Ethem",
        "title": "Multivariate statistical tests for comparing classification algorithms",
        "booktitle": "Learning and Intelligent Optimization", "volume": "6683",
        "series": "Lecture Notes in Computer Science", "pages": "1--15", "year": "2011",
        "doi": "10.1007/978-3-642-25566-3_1"}),
}  # fmt: skip

#: Which works a test rests on, Bayesian or frequentist.
CITED = {
    "hierarchical_t": ("corani2017",), "signed_rank": ("benavoli2014",),
    "sign": ("benavoli2017",), "correlated_t": ("corani2015",), "robust_t": ("corani2015",),
    "multivariate_t": ("corani2015",), "hotelling_paired": ("yildiz2011",),
    "corrected_t": ("nadeau2003",), "wilcoxon": ("demsar2006",), "sign_test": ("demsar2006",),
    "friedman": ("demsar2006",), "quade": ("garcia2010",), "holm": ("holm1979",),
}  # fmt: skip


def short(key: str) -> str:
    """A work as it is cited in running text: authors and year."""
    fields = REFERENCES[key][1]
    names = [a.split(",")[0] for a in fields["author"].split(" and ")]
    told = names[0] if len(names) == 1 else (
        f"{names[0]} & {names[1]}" if len(names) == 2 else f"{names[0]} et al."
    )  # fmt: skip
    return f"{told} {fields['year']}"
