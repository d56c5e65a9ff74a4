"""What users see of a run. Reads everything, changes nothing."""
