"""Documents: a catalogue with summaries, concepts, categories and visuals, searched by hybrid rank."""
