"""Works that tests rest on, as BibTeX has them."""

from __future__ import annotations

from collections.abc import Iterable

from bayescmp.errors import InputError

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
    "garcia2008": ("article", {
        "author": "García, Salvador and Herrera, Francisco",
        "title": "An extension on \"{S}tatistical comparisons of classifiers over multiple data "
                 "sets\" for all pairwise comparisons",
        "journal": "Journal of Machine Learning Research", "volume": "9", "pages": "2677--2694",
        "year": "2008"}),
    "schuirmann1987": ("article", {
        "author": "Schuirmann, Donald J.",
        "title": "A comparison of the two one-sided tests procedure and the power approach for "
                 "assessing the equivalence of average bioavailability",
        "journal": "Journal of Pharmacokinetics and Biopharmaceutics", "volume": "15",
        "pages": "657--680", "year": "1987", "doi": "10.1007/BF01068419"}),
    "agresti2005": ("article", {
        "author": "Agresti, Alan and Min, Yongyi",
        "title": "Frequentist performance of {B}ayesian confidence intervals for comparing "
                 "proportions in $2 \\times 2$ contingency tables",
        "journal": "Biometrics", "volume": "61", "pages": "515--523", "year": "2005",
        "doi": "10.1111/j.1541-0420.2005.031228.x"}),
    "miller2024": ("article", {
        "author": "Miller, Evan",
        "title": "Adding error bars to evals: a statistical approach to language model "
                 "evaluations",
        "journal": "arXiv preprint arXiv:2411.00640", "year": "2024"}),
    "delong1988": ("article", {
        "author": "DeLong, Elizabeth R. and DeLong, David M. and Clarke-Pearson, Daniel L.",
        "title": "Comparing the areas under two or more correlated receiver operating "
                 "characteristic curves: A nonparametric approach",
        "journal": "Biometrics", "volume": "44", "pages": "837--845", "year": "1988",
        "doi": "10.2307/2531595"}),
    "dietterich1998": ("article", {
        "author": "Dietterich, Thomas G.",
        "title": "Approximate statistical tests for comparing supervised classification learning "
                 "algorithms",
        "journal": "Neural Computation", "volume": "10", "pages": "1895--1923", "year": "1998",
        "doi": "10.1162/089976698300017197"}),
    "colas2019": ("article", {
        "author": "Colas, Cédric and Sigaud, Olivier and Oudeyer, Pierre-Yves",
        "title": "A hitchhiker's guide to statistical comparisons of reinforcement learning "
                 "algorithms",
        "journal": "arXiv preprint arXiv:1904.06979", "year": "2019"}),
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
    "gelman2012": ("article", {
        "author": "Gelman, Andrew and Hill, Jennifer and Yajima, Masanao",
        "title": "Why we (usually) don't have to worry about multiple comparisons",
        "journal": "Journal of Research on Educational Effectiveness", "volume": "5",
        "number": "2", "pages": "189--211", "year": "2012",
        "doi": "10.1080/19345747.2011.618213"}),
    "bates2024": ("article", {
        "author": "Bates, Stephen and Hastie, Trevor and Tibshirani, Robert",
        "title": "Cross-validation: what does it estimate and how well does it do it?",
        "journal": "Journal of the American Statistical Association", "volume": "119",
        "number": "546", "pages": "1434--1445", "year": "2024",
        "doi": "10.1080/01621459.2023.2197686"}),
    "angelopoulos2023": ("misc", {
        "author": "Angelopoulos, Anastasios N. and Duchi, John C. and Zrnic, Tijana",
        "title": "{PPI}++: Efficient prediction-powered inference",
        "year": "2023", "eprint": "2311.01453", "archiveprefix": "arXiv"}),
    "rubin1981": ("article", {
        "author": "Rubin, Donald B.",
        "title": "The {B}ayesian bootstrap",
        "journal": "The Annals of Statistics", "volume": "9", "number": "1", "pages": "130--134",
        "year": "1981", "doi": "10.1214/aos/1176345338"}),
    "wainer2023": ("article", {
        "author": "Wainer, Jacques",
        "title": "A {B}ayesian {B}radley-{T}erry model to compare multiple {ML} algorithms on "
                 "multiple data sets",
        "journal": "Journal of Machine Learning Research", "volume": "24", "number": "341",
        "pages": "1--34", "year": "2023"}),
    "turner2020": ("article", {
        "author": "Turner, Heather L. and van Etten, Jacob and Firth, David and Kosmidis, Ioannis",
        "title": "Modelling rankings in {R}: the {PlackettLuce} package",
        "journal": "Computational Statistics", "volume": "35", "number": "3",
        "pages": "1027--1057", "year": "2020", "doi": "10.1007/s00180-020-00959-3"}),
    "benavoli2015": ("inproceedings", {
        "author": "Benavoli, Alessio and Corani, Giorgio and Mangili, Francesca and Zaffalon, "
                  "Marco",
        "title": "A {B}ayesian nonparametric procedure for comparing algorithms",
        "booktitle": "Proceedings of the 32nd International Conference on Machine Learning",
        "pages": "1264--1272", "year": "2015"}),
    "brown2001": ("article", {
        "author": "Brown, Lawrence D. and Cai, T. Tony and DasGupta, Anirban",
        "title": "Interval estimation for a binomial proportion",
        "journal": "Statistical Science", "volume": "16", "number": "2", "pages": "101--133",
        "year": "2001", "doi": "10.1214/ss/1009213286"}),
}  # fmt: skip


def add_reference(key: str, kind: str, **fields: str) -> None:
    """Add a work that your own tests can cite.

    `kind` ("article", "book", ...) and fields are BibTeX's; author ("Surname, Name and Surname,
    Name"), title and year are required. A key that is taken is refused.
    """
    if key in REFERENCES:
        raise InputError(f"key must be new (got {key!r}, which is known).", "key")
    for field in ("author", "title", "year"):
        if field not in fields:
            raise InputError(f"{field} must be given for the reference {key!r}.", field)
    REFERENCES[key] = (kind, fields)


def cite_short(key: str) -> str:
    """Cite a work as in running text: authors and year."""
    fields = REFERENCES[key][1]
    names = [a.split(",")[0] for a in fields["author"].split(" and ")]
    who = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    return f"{who} {fields['year']}"


# Frequentist tests, with the works that a paper cites for them.


#: The works to cite for a test, by its name, and for the correction for overlapping folds.
SOURCES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("friedman", "iman_davenport", "wilcoxon", "sign"), ("demsar2006",)),
    **dict.fromkeys(("aligned", "quade", "multiple_sign"), ("garcia2010",)),
    "correction": ("nadeau2003",),
    "tost": ("schuirmann1987",),
    **dict.fromkeys(("cv52_t", "mcnemar"), ("dietterich1998",)),
    **dict.fromkeys(("welch", "mann_whitney"), ("colas2019",)),
    **dict.fromkeys(("hotelling", "manova"), ("yildiz2011",)),
    "delong": ("delong1988",),
}
ADJUSTMENTS = {
    "holm": "holm1979",
    "shaffer": "garcia2008",
    "bergmann-hommel": "garcia2008",
    **dict.fromkeys(("finner", "hochberg", "holland", "hommel", "li", "rom"), "garcia2010"),
}
METHOD = {False: "Method: {heading}.", True: "Method: {heading} ({sources})."}


def cite_test(name: str, *, corrected: bool) -> tuple[str, ...]:
    """Return the works to cite for a test that may be corrected for overlapping folds."""
    return (*SOURCES[name], *(SOURCES["correction"] if corrected else ()))


def state_method(heading: str, cites: Iterable[str], adjust: str = "") -> str:
    """Name a frequentist test for a paper, with the works that it and its adjustment rest on."""
    keys = [*cites, *([ADJUSTMENTS[adjust]] if adjust in ADJUSTMENTS else [])]
    sources = "; ".join(map(cite_short, dict.fromkeys(keys)))
    return METHOD[bool(sources)].format(heading=heading, sources=sources)
