"""The report at the end of a run: what each engine kept of each group of promises."""
