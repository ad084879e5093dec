def f(u):
    return get(u)
