"""Prices are whole cents; tax is rounded half up, once, on the total."""

TAX_PERCENT = 19
FREE_SHIPPING_FROM = 5000
SHIPPING = 490


def shipping(goods_cents):
    """What sending the goods costs."""
    return 0 if goods_cents == 0 or goods_cents >= FREE_SHIPPING_FROM else SHIPPING


def tax_included(total_cents):
    """The part of a total that is tax."""
    return (total_cents * TAX_PERCENT * 2 + 100 + TAX_PERCENT) // (2 * (100 + TAX_PERCENT))


def text(cents):
    """1290 becomes '12.90'."""
    return f"{cents // 100}.{cents % 100:02d}"
