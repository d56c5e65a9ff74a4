"""What was made of a function, as files to read (JITCORE_DUMP=folder). Changes nothing."""
