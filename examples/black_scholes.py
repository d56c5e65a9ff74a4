"""A Black-Scholes price surface: one formula over a grid of prices and maturities."""

from __future__ import annotations

import numpy as np
from demo import show

import jitcore


def normal_cdf(x):
    """Abramowitz and Stegun 26.2.17."""
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = np.exp(-0.5 * x * x) * poly * 0.3989422804014327
    return np.where(x >= 0, 1.0 - tail, tail)


@jitcore.compile
def call_price(spot, strike, years, rate, volatility):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    return spot * normal_cdf(d1) - strike * np.exp(-rate * years) * normal_cdf(d2)


def main() -> None:
    spot = np.linspace(60.0, 140.0, 500)[:, None]
    years = np.linspace(0.05, 3.0, 500)[None, :]
    show("Black-Scholes surface, 500 x 500", call_price, lambda: (spot, 100.0, years, 0.03, 0.25))


if __name__ == "__main__":
    main()
