try:
    g()
except Exception:
    return None
