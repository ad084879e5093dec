"""A basket: how many of which product."""

from shop import prices


class Basket:
    def __init__(self, products):
        self.products = {product["id"]: product for product in products}
        self.lines = {}

    def add(self, product_id, count=1):
        if product_id not in self.products:
            raise KeyError(f"no product {product_id!r}")
        if count < 1:
            raise ValueError("count must be at least 1")
        self.lines[product_id] = self.lines.get(product_id, 0) + count

    def goods(self):
        return sum(self.products[key]["cents"] * count for key, count in self.lines.items())

    def total(self):
        goods = self.goods()
        return goods + prices.shipping(goods)
