"""Several algorithms on several data sets with their folds: which of them is best?"""
