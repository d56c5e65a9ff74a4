"""Verify mode: regions run both ways, and CPython's result counts. Begins in rehearsal.py."""
