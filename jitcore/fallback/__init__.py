"""What CPython goes on with: the break table, and C + region points → C*."""
