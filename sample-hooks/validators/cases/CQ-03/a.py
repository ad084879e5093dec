import os  # noqa
x = 1
