"""Has a classifier learned anything?"""
