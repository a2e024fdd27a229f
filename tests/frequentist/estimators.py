"""Small quick classifiers with scikit-learn's interface, for tests of thousands of fits."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Nearest(ClassifierMixin, BaseEstimator):
    """1-nearest neighbour by the number of unequal features; ties by a named rule.

    Of equally near rows the "first", the "last", or one at "random"; or one of their classes at
    random, each as likely however many of the rows are of it ("class").
    """

    def __init__(self, ties="first", random_state=None):
        self.ties = ties
        self.random_state = random_state

    def fit(self, X, y):
        self.X_, self.y_ = np.asarray(X), y
        return self

    def distances(self, X):
        return (np.asarray(X)[:, None, :] != self.X_[None]).sum(axis=2)

    def predict(self, X):
        distance = self.distances(X)
        if self.ties == "last":
            return self.y_[::-1][np.argmin(distance[:, ::-1], axis=1)]
        if self.ties == "random":
            rng = np.random.default_rng(self.random_state)
            return self.y_[np.argmin(distance + rng.random(distance.shape) / 2, axis=1)]
        if self.ties == "class":
            return self._one_of_the_classes(distance)
        return self.y_[np.argmin(distance, axis=1)]

    def _one_of_the_classes(self, distance):
        classes, codes = np.unique(self.y_, return_inverse=True)
        closest = np.array([distance[:, codes == c].min(axis=1) for c in range(len(classes))]).T
        luck = np.random.default_rng(self.random_state).random(closest.shape) / 2
        return classes[np.argmin(closest + luck, axis=1)]


class Closest(Nearest):
    """1-nearest neighbour by Euclidean distance."""

    def distances(self, X):
        return ((np.asarray(X)[:, None, :] - self.X_[None]) ** 2).sum(axis=2)


class Centroid(ClassifierMixin, BaseEstimator):
    """Nearest class mean; the margin of two classes as a continuous decision function."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == c].mean(axis=0) for c in self.classes_])
        return self

    def _distance(self, X):
        return ((np.asarray(X)[:, None, :] - self.means_) ** 2).sum(axis=2)

    def predict(self, X):
        return self.classes_[self._distance(X).argmin(axis=1)]

    def decision_function(self, X):
        return np.diff(-self._distance(X), axis=1)[:, 0]


class Product(Centroid):
    """Nearest class mean of the features' products with the first: all that it sees is how
    features hang together."""

    def fit(self, X, y):
        return super().fit(X[:, 1:] * X[:, :1], y)

    def _distance(self, X):
        X = np.asarray(X)
        return super()._distance(X[:, 1:] * X[:, :1])


class Broken(ClassifierMixin, BaseEstimator):
    """Raises where the first label of the training cases is not the smallest."""

    def __init__(self, message="no luck", always=False):
        self.message = message
        self.always = always

    def fit(self, X, y):
        self.label_ = y[0]
        if self.always or y[0] != min(y):
            raise RuntimeError(self.message)
        return self

    def predict(self, X):
        return np.full(len(X), self.label_)


def hinge(estimator, X, y):
    """A continuous score of two classes 0 and 1, higher better: mean margin, bounded."""
    return float(np.mean(np.tanh((2 * y - 1) * estimator.decision_function(X))))
