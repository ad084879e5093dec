"""An order is a basket that was paid for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    number: int
    lines: tuple
    total: int


def place(number, basket):
    # TODO: refuse an order for more than is in stock
    if not basket.lines:
        raise ValueError("the basket is empty")
    return Order(number, tuple(sorted(basket.lines.items())), basket.total())
