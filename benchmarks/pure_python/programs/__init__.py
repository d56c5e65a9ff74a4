"""One program a module: `run()` takes some hundredths of a second, and gives what it computed."""
