"""Several algorithms by wins and ranks: which of them is best?"""
