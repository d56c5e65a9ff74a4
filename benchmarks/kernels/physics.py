"""Stars, spins and electrons."""

import numpy as np

from benchmarks.registry import loop


def stars(count, steps, rng):
    mass = np.full((count, 1), 20.0 / count)
    return mass, rng.random((count, 3)), rng.random((count, 3)), 0.02, 1.0, 0.1, steps


def separations(position):
    """From each star to each other, along x, y and z."""
    x, y, z = position[:, 0], position[:, 1], position[:, 2]
    return x - x[:, np.newaxis], y - y[:, np.newaxis], z - z[:, np.newaxis]


def acceleration(position, mass, gravity, softening):
    dx, dy, dz = separations(position)
    pull = gravity * (dx * dx + dy * dy + dz * dz + softening**2) ** -1.5
    return np.hstack(((dx * pull) @ mass, (dy * pull) @ mass, (dz * pull) @ mass))


def energy(position, velocity, mass, gravity):
    """Of motion, and of position."""
    dx, dy, dz = separations(position)
    distance = np.sqrt(dx * dx + dy * dy + dz * dz)
    inverse = np.zeros_like(distance)
    apart = distance > 0.0
    inverse[apart] = 1.0 / distance[apart]
    potential = -gravity * np.triu(mass * mass.T * inverse, 1).sum()
    return 0.5 * (mass * velocity**2).sum(), potential


@loop(
    stars,
    small=(4, 3),
    medium=(50, 250),
    large=(60, 1000),
    writes=(1, 2),
    npbench="nbody",
)
def nbody(mass, position, velocity, dt, gravity, softening, steps):
    """Newton's law by leapfrog: kick, drift, kick; both energies over time."""
    velocity -= (mass * velocity).mean(axis=0) / mass.mean()
    kinetic = np.zeros(steps + 1)
    potential = np.zeros(steps + 1)
    kinetic[0], potential[0] = energy(position, velocity, mass, gravity)
    force = acceleration(position, mass, gravity, softening)
    for step in range(steps):
        velocity += force * dt / 2.0
        position += velocity * dt
        force = acceleration(position, mass, gravity, softening)
        velocity += force * dt / 2.0
        kinetic[step + 1], potential[step + 1] = energy(position, velocity, mass, gravity)
    return kinetic, potential


def lattice(side, sweeps, rng):
    spins = rng.choice(np.array([-1, 1]), size=(side, side))
    return spins, rng.random((sweeps, side, side)), 0.44


@loop(lattice, small=(4, 3), medium=(32, 20), large=(64, 20), writes=(0,))
def metropolis(spins, chances, beta):
    """Ising's model: each spin in turn may flip. The magnetisation after each sweep."""
    side = spins.shape[0]
    magnetisation = np.zeros(chances.shape[0])
    for sweep in range(chances.shape[0]):
        for i in range(side):
            for j in range(side):
                around = spins[i - 1, j] + spins[(i + 1) % side, j]
                around += spins[i, j - 1] + spins[i, (j + 1) % side]
                cost = 2 * spins[i, j] * around
                if cost <= 0 or chances[sweep, i, j] < np.exp(-beta * cost):
                    spins[i, j] = -spins[i, j]
        magnetisation[sweep] = spins.mean()
    return magnetisation


def complexes(rng, *shape):
    return rng.random(shape) + 1j * rng.random(shape)


@loop(
    lambda side, vectors, points, rng: (
        complexes(rng, 3, side, side),
        complexes(rng, points),
        complexes(rng, side, vectors),
    ),
    small=(3, 4, 3),
    medium=(200, 400, 32),
    large=(240, 480, 32),
    npbench="contour_integral",
)
def contour_integral(hamiltonian, points, vectors):
    """The first two moments of a matrix polynomial's inverse along a contour."""
    slabs = hamiltonian.shape[0] - 1
    zeroth = np.zeros(vectors.shape, dtype=np.complex128)
    first = np.zeros(vectors.shape, dtype=np.complex128)
    for z in points:
        total = np.zeros(hamiltonian.shape[1:], dtype=np.complex128)
        for n in range(slabs + 1):
            total += np.power(z, slabs / 2 - n) * hamiltonian[n]
        if vectors.shape[0] == vectors.shape[1]:
            solved = np.linalg.inv(total)
        else:
            solved = np.linalg.solve(total, vectors)
        if abs(z) < 1.0:
            solved = -solved
        zeroth += solved
        first += z * solved
    return zeroth, first


def crystal(momenta, energies, atoms, near, orbitals, rng):
    """As many momenta of phonons as of electrons, two frequencies, two directions."""
    around = np.arange(near) - near // 2
    return (
        ((np.arange(atoms)[:, np.newaxis] + around) % atoms).astype(np.int32),
        complexes(rng, atoms, near, 2, orbitals, orbitals),
        complexes(rng, momenta, energies, atoms, orbitals, orbitals),
        complexes(rng, momenta, 2, atoms, near, 2, 2),
        np.zeros((momenta, energies, atoms, orbitals, orbitals), dtype=np.complex128),
    )


@loop(
    crystal,
    small=(2, 2, 3, 2, 2),
    medium=(3, 5, 10, 3, 4),
    large=(4, 8, 12, 4, 4),
    writes=(4,),
    npbench="scattering_self_energies",
)
def scattering_self_energies(neighbours, gradient, electrons, phonons, sigma):
    """What electrons and phonons do to each other, in quantum transport."""
    atoms, near = neighbours.shape
    for k in range(electrons.shape[0]):
        for e in range(electrons.shape[1]):
            for q in range(phonons.shape[0]):
                for w in range(phonons.shape[1]):
                    if w > e:
                        continue
                    for i in range(phonons.shape[4]):
                        for j in range(phonons.shape[5]):
                            for a in range(atoms):
                                for b in range(near):
                                    moved = electrons[k, e - w, neighbours[a, b]]
                                    left = moved @ gradient[a, b, i]
                                    right = gradient[a, b, j] * phonons[q, w, a, b, i, j]
                                    sigma[k, e, a] += left @ right
