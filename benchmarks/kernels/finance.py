"""Option prices."""

import numpy as np

from benchmarks.registry import kernel


def normal_cdf(x):
    """Abramowitz and Stegun, formula 26.2.17."""
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = np.exp(-0.5 * x * x) * poly * 0.3989422804014327
    return np.where(x >= 0, 1.0 - tail, tail)


def options(n, rng, dtype=np.float64):
    spot = rng.uniform(60.0, 140.0, n).astype(dtype)
    strike = rng.uniform(80.0, 120.0, n).astype(dtype)
    years = rng.uniform(0.1, 3.0, n).astype(dtype)
    return spot, strike, years, 0.03, 0.25


@kernel(options, large=1_400_000)
def black_scholes(spot, strike, years, rate, volatility):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    return call, call - spot + discounted


@kernel(lambda n, rng: options(n, rng, np.float32))
def black_scholes_f32(spot, strike, years, rate, volatility):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    return call, call - spot + discounted


@kernel(options, large=1_000_000)
def greeks(spot, strike, years, rate, volatility):
    root = np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / (volatility * root)
    d2 = d1 - volatility * root
    density = np.exp(-0.5 * d1 * d1) * 0.3989422804014327
    discounted = strike * np.exp(-rate * years)
    delta = normal_cdf(d1)
    gamma = density / (spot * volatility * root)
    vega = spot * density * root
    theta = -spot * density * volatility / (2.0 * root) - rate * discounted * normal_cdf(d2)
    return delta, gamma, vega, theta
