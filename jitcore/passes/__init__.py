"""Graph -> Graph: one file and one public function per pass."""
