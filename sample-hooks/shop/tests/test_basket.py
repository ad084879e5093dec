import unittest

from shop import orders, prices
from shop.basket import Basket

PRODUCTS = [{"id": "mug", "cents": 1290}, {"id": "pot", "cents": 3400}]


class BasketTest(unittest.TestCase):
    def test_one_line_for_each_product(self):
        basket = Basket(PRODUCTS)
        basket.add("mug")
        basket.add("mug", 2)
        self.assertEqual(basket.lines, {"mug": 3})

    def test_shipping_is_free_from_fifty(self):
        basket = Basket(PRODUCTS)
        basket.add("mug")
        self.assertEqual(basket.total(), 1290 + prices.SHIPPING)
        basket.add("pot", 2)
        self.assertEqual(basket.total(), 1290 + 6800)

    def test_an_empty_basket_is_no_order(self):
        with self.assertRaises(ValueError):
            orders.place(1, Basket(PRODUCTS))

    def test_tax_and_text(self):
        self.assertEqual(prices.tax_included(1190), 190)
        self.assertEqual(prices.text(1290), "12.90")


if __name__ == "__main__":
    unittest.main()
