"""Algorithms with Python between the arrays: search, dynamic programming, simulation, learning."""

import collections
import heapq

import numpy as np
from support.arrays import f4, f8, i8, positive, u1
from support.program import program


class Network:
    """Two layers, with a training step by hand."""

    def __init__(self, sizes, seed=0):
        rng = np.random.default_rng(seed)
        self.weights = [rng.standard_normal((a, b)) * 0.3 for a, b in zip(sizes, sizes[1:])]
        self.biases = [np.zeros(b) for b in sizes[1:]]
        self.steps = 0
        self.losses = []

    def forward(self, x):
        self.inputs = [x]
        for w, b in zip(self.weights[:-1], self.biases[:-1]):
            x = np.tanh(x @ w + b)
            self.inputs.append(x)
        return x @ self.weights[-1] + self.biases[-1]

    def train(self, x, y, rate=0.1):
        out = self.forward(x)
        error = out - y
        self.losses.append((error**2).mean())
        grad = 2 * error / error.size
        for i in reversed(range(len(self.weights))):
            a = self.inputs[i]
            gw, gb = a.T @ grad, grad.sum(axis=0)
            if i:
                grad = grad @ self.weights[i].T * (1 - a**2)
            self.weights[i] -= rate * gw
            self.biases[i] = self.biases[i] - rate * gb
        self.steps += 1
        return self.losses[-1]


class Adam:
    def __init__(self, rate=0.01):
        self.rate = rate
        self.m = {}
        self.v = {}
        self.t = 0

    def update(self, params, grads):
        self.t += 1
        for name, g in grads.items():
            m = self.m.get(name, 0) * 0.9 + 0.1 * g
            v = self.v.get(name, 0) * 0.999 + 0.001 * g**2
            self.m[name], self.v[name] = m, v
            mhat = m / (1 - 0.9**self.t)
            vhat = v / (1 - 0.999**self.t)
            params[name] -= self.rate * mhat / (np.sqrt(vhat) + 1e-8)


@program(
    lambda: (Network([3, 4, 2]), f8(5, 3), f8(5, 2)),
    lambda: (Network([3, 6, 6, 1], 1), f8(7, 3), f8(7, 1)),
)
def training_steps(net, x, y):
    for _ in range(3):
        net.train(x, y)
    return net.losses, net.steps, net.forward(x)


@program(lambda: (Adam(), {"w": f8(3), "b": f8(1)}), lambda: (Adam(0.1), {"w": f8(2, 2)}))
def optimizer_with_state(adam, params):
    for _ in range(4):
        grads = {name: 2 * p + 1 for name, p in params.items()}
        adam.update(params, grads)
    return adam.t, params


@program(lambda: ("kitten", "sitting"), lambda: ("", "abc"), lambda: ("same", "same"))
def edit_distance(a, b):
    row = np.arange(len(b) + 1)
    for i, ca in enumerate(a, 1):
        new = np.empty_like(row)
        new[0] = i
        for j, cb in enumerate(b, 1):
            new[j] = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (ca != cb))
        row = new
    return int(row[-1])


@program(lambda: ([2, 3, 4], [3, 4, 6], 6), lambda: ([1], [9], 0))
def knapsack(weights, values, room):
    best = np.zeros(room + 1, int)
    for w, v in zip(weights, values):
        shifted = best[:-w] + v if w <= room else best[:0]
        if w <= room:
            best[w:] = np.maximum(best[w:], shifted)
    return best


@program(lambda: (f8(30), 0.0), lambda: (f8(30), 99.0))
def binary_search(x, target):
    x = np.sort(x)
    low, high = 0, len(x)
    steps = []
    while low < high:
        mid = (low + high) // 2
        steps.append(mid)
        if x[mid] < target:
            low = mid + 1
        else:
            high = mid
    return low, steps


@program(lambda: (f8(9),), lambda: (f8(1),), lambda: (i8(12),))
def quicksort(x):
    if len(x) < 2:
        return x
    pivot = x[len(x) // 2]
    return np.concatenate([quicksort(x[x < pivot]), x[x == pivot], quicksort(x[x > pivot])])


@program(lambda: (f8(9),), lambda: (i8(6),))
def bubble_sort_in_place(x):
    swaps = 0
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
                swaps += 1
    return swaps


@program(lambda: ({0: [1, 2], 1: [3], 2: [3], 3: []}, 0), lambda: ({0: [0]}, 0))
def breadth_first(graph, start):
    seen = {start}
    order = []
    queue = collections.deque([start])
    while queue:
        node = queue.popleft()
        order.append(node)
        for other in graph[node]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return order


@program(lambda: (positive(5, 5), 0), lambda: (positive(3, 3), 2))
def dijkstra(d, start):
    best = np.full(len(d), np.inf)
    best[start] = 0
    heap = [(0.0, start)]
    while heap:
        cost, node = heapq.heappop(heap)
        if cost > best[node]:
            continue
        for other in range(len(d)):
            new = cost + d[node, other]
            if new < best[other]:
                best[other] = new
                heapq.heappush(heap, (float(new), other))
    return best


@program(lambda: (f8(40), 0.3), lambda: (f8(5), 0.9))
def exponential_smoothing(x, alpha):
    out = np.empty_like(x)
    level = x[0]
    for i, v in enumerate(x):
        level = alpha * v + (1 - alpha) * level
        out[i] = level
    return out


@program(lambda: (f8(50), 5), lambda: (f8(6), 3))
def rolling_statistics(x, n):
    c = np.cumsum(np.insert(x, 0, 0))
    mean = (c[n:] - c[:-n]) / n
    spread = np.array([x[i : i + n].std() for i in range(len(x) - n + 1)])
    return mean, (x[n - 1 :] - mean) / spread


@program(lambda: (f8(20),), lambda: (f8(3),))
def outliers_are_reported(x):
    z = abs(x - x.mean()) / x.std()
    for i in np.flatnonzero(z > 1.5):
        print("outlier at", int(i))
    return x[z <= 1.5]


@program(lambda: (7,), lambda: (27,), lambda: (1,))
def collatz(n):
    path = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path.append(n)
    return path


@program(lambda: (20,), lambda: (90,))
def fibonacci_by_matrix(n):
    result, base = np.eye(2, dtype=object), np.array([[1, 1], [1, 0]], dtype=object)
    while n:
        if n & 1:
            result = result @ base
        base = base @ base
        n >>= 1
    return result[0, 1]


@program(lambda: (48, 36), lambda: (2**70, 3**30), lambda: (0, 5))
def greatest_common_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


@program(lambda: (["a", "b", "a"],), lambda: ([],))
def word_counts(words):
    counts = {}
    for w in words:
        counts[w] = counts.get(w, 0) + 1
    return sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))


@program(lambda: ("3 4 + 2 *",), lambda: ("1 +",), lambda: ("2 0 /",))
def stack_machine(text):
    stack = []
    for token in text.split():
        match token:
            case "+" | "*" | "/":
                b, a = stack.pop(), stack.pop()
                stack.append(a + b if token == "+" else a * b if token == "*" else a / b)
            case _:
                stack.append(float(token))
    return stack


@program(lambda: (f8(6, 3), f8(2, 3)), lambda: (f4(6, 3), f4(2, 3)))
def nearest_neighbours(train, query):
    d = np.sqrt(((query[:, None] - train) ** 2).sum(-1))
    order = np.argsort(d, axis=1, kind="stable")[:, :2]
    return order, np.take_along_axis(d, order, axis=1)


@program(
    lambda: (f8(5, 4), f8(5, 4, seed=1), f8(5, 4, seed=2)), lambda: (f4(3, 2), f4(3, 2), f4(3, 2))
)
def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    w = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (w / w.sum(axis=-1, keepdims=True)) @ v


@program(lambda: (f8(8), 1.0), lambda: (f4(8), 0.5))
def gelu_and_friends(x, beta):
    gelu = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    swish = x / (1 + np.exp(-beta * x))
    elu = np.where(x > 0, x, np.expm1(np.minimum(x, 0)))
    return gelu, swish, elu, np.log1p(np.exp(x))


@program(lambda: (f8(3), f8(3, seed=1)), lambda: (f4(3), f4(3)))
def rotation_by_quaternion(v, axis):
    axis = axis / np.linalg.norm(axis)
    w, xyz = np.cos(0.3), np.sin(0.3) * axis
    t = 2 * np.cross(xyz, v)
    return v + w * t + np.cross(xyz, t)


@program(lambda: (f8(10), f8(10, seed=1), 3), lambda: (f8(6), f8(6), 1))
def polynomial_least_squares(x, y, degree):
    a = np.vander(x, degree + 1)
    coefficients, *_ = np.linalg.lstsq(a, y)
    return coefficients, a @ coefficients - y


@program(lambda: (np.arange(12) % 5,), lambda: (np.array([], int),))
def group_by(keys):
    groups = {}
    for i, k in enumerate(keys.tolist()):
        groups.setdefault(k, []).append(i)
    return {k: np.array(v).sum() for k, v in groups.items()}


@program(lambda: (f8(4, 4), 5), lambda: (f8(3, 3), 30))
def qr_eigenvalues(a, rounds):
    a = a + a.T
    for _ in range(rounds):
        q, r = np.linalg.qr(a)
        a = r @ q
        if abs(np.tril(a, -1)).max() < 1e-9:
            break
    return np.sort(np.diag(a))


@program(lambda: (f8(40),), lambda: (f8(4),))
def peaks(x):
    inner = (x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])
    return np.flatnonzero(inner) + 1, x[1:-1][inner]


@program(lambda: (6,), lambda: (8,))
def eight_queens(n):
    def place(row, columns):
        if row == n:
            return 1
        total = 0
        for c in range(n):
            if all(c != d and abs(c - d) != row - r for r, d in enumerate(columns)):
                total += place(row + 1, [*columns, c])
        return total

    return place(0, [])


@program(lambda: (f8(6, 6), 2), lambda: (f8(4, 6), 1))
def pooling_and_downsampling(x, n):
    h, w = x.shape[0] // n, x.shape[1] // n
    blocks = x[: h * n, : w * n].reshape(h, n, w, n)
    return blocks.max(axis=(1, 3)), blocks.mean(axis=(1, 3)), x[::n, ::n]


@program(lambda: (u1(4, 5, seed=3) * 20,), lambda: (u1(3, 3) * 31,))
def image_in_bytes(image):
    bright = np.clip(image.astype("i2") * 3 // 2 + 10, 0, 255).astype("u1")
    gray = (image * 0.299 + bright * 0.587).astype("u1")
    return bright, gray, 255 - image, image > image.mean(), np.bincount(image.ravel(), minlength=4)


@program(lambda: (f8(5), 0.05, 30), lambda: (f8(5), 0.9, 3))
def gradient_descent_with_momentum(x, rate, steps):
    v = np.zeros_like(x)
    history = []
    for step in range(steps):
        g = 4 * x**3 - 2 * x
        np.clip(g, -10, 10, out=g)
        v = 0.9 * v - rate * g
        x = x + v
        if step % 10 == 0:
            history.append(round(float((x**4 - x**2).sum()), 6))
    return x, history
