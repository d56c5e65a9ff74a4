"""Neural networks at work, with images as (image, row, column, channel) in float32."""

import numpy as np

from benchmarks.registry import loop


def random32(rng, *shape):
    return rng.random(shape, dtype=np.float32)


def relu(x):
    return np.maximum(x, 0)


def convolve(images, weights):
    """Each place of the kernel once, over the images that it fits into."""
    size = weights.shape[0]
    rows, columns = images.shape[1] - size + 1, images.shape[2] - size + 1
    result = np.empty((images.shape[0], rows, columns, weights.shape[3]), dtype=np.float32)
    for i in range(rows):
        for j in range(columns):
            patch = images[:, i : i + size, j : j + size, :, np.newaxis]
            result[:, i, j, :] = np.sum(patch * weights, axis=(1, 2, 3))
    return result


def conv2d_inputs(images, side, size, channels, filters, rng):
    return (
        random32(rng, images, side, side, channels),
        random32(rng, size, size, channels, filters),
        random32(rng, filters),
    )


@loop(
    conv2d_inputs,
    small=(2, 6, 3, 2, 3),
    medium=(8, 64, 5, 3, 8),
    large=(8, 96, 5, 3, 8),
    npbench="conv2d_bias",
)
def conv2d(images, weights, bias):
    return convolve(images, weights) + bias


def max_pool(x):
    """The largest of each square of two by two."""
    images, rows, columns, channels = x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]
    result = np.empty((images, rows, columns, channels), dtype=x.dtype)
    for i in range(rows):
        for j in range(columns):
            result[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return result


def lenet_inputs(images, side, rng):
    pooled = ((side - 4) // 2 - 4) // 2
    features = 16 * pooled * pooled
    return (
        random32(rng, images, side, side, 1),
        *(random32(rng, 5, 5, 1, 6), random32(rng, 6)),
        *(random32(rng, 5, 5, 6, 16), random32(rng, 16)),
        *(random32(rng, features, 120), random32(rng, 120)),
        *(random32(rng, 120, 84), random32(rng, 84)),
        *(random32(rng, 84, 10), random32(rng, 10)),
    )


@loop(
    lenet_inputs,
    small=(1, 16),
    medium=(8, 56),
    large=(16, 80),
    npbench="lenet",
)
def lenet(images, conv1, bias1, conv2, bias2, w1, b1, w2, b2, w3, b3):
    """LeCun's network of 1998, with rectifiers."""
    x = max_pool(relu(convolve(images, conv1) + bias1))
    x = max_pool(relu(convolve(x, conv2) + bias2))
    x = x.reshape(x.shape[0], -1)
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    return x @ w3 + b3


def normalized(x):
    """Over the images of a batch."""
    mean = x.mean(axis=0, keepdims=True)
    spread = x.std(axis=0, keepdims=True)
    return (x - mean) / np.sqrt(spread + 1e-5)


def resnet_inputs(images, side, channels, inner, rng):
    return (
        random32(rng, images, side, side, channels),
        random32(rng, 1, 1, channels, inner),
        random32(rng, 3, 3, inner, inner),
        random32(rng, 1, 1, inner, channels),
    )


@loop(
    resnet_inputs,
    small=(2, 4, 4, 2),
    medium=(8, 28, 64, 16),
    large=(8, 56, 64, 16),
    npbench="resnet",
)
def resnet_block(images, conv1, conv2, conv3):
    """The bottleneck block of ResNet-50."""
    count, rows, columns, _ = images.shape
    padded = np.zeros((count, rows + 2, columns + 2, conv1.shape[3]))
    padded[:, 1:-1, 1:-1, :] = convolve(images, conv1)
    x = relu(normalized(padded))
    x = relu(normalized(convolve(x, conv2)))
    x = normalized(convolve(x, conv3))
    return relu(x + images)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@loop(
    lambda count, heads, side, rng: (random32(rng, count, heads, side, side),),
    small=(1, 2, 4),
    medium=(16, 16, 128),
    large=(32, 8, 256),
    npbench="softmax",
)
def softmax_heads(x):
    return softmax(x)


def mlp_inputs(samples, features, first, second, third, rng):
    return (
        random32(rng, samples, features),
        *(random32(rng, features, first), random32(rng, first)),
        *(random32(rng, first, second), random32(rng, second)),
        *(random32(rng, second, third), random32(rng, third)),
    )


@loop(
    mlp_inputs,
    small=(2, 3, 6, 5, 4),
    medium=(8, 3, 30_000, 2000, 2000),
    large=(8, 3, 30_000, 6000, 6000),
    npbench="mlp",
)
def mlp_forward(x, w1, b1, w2, b2, w3, b3):
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)
