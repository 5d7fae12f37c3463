"""Compare the ports with the bare drivers and print one table.

    python -m tests.bench.engines [sqlite kuzu ladybug lancedb chroma postgres neo4j]
    python -m tests.services postgres chroma neo4j -- python -m tests.bench.engines postgres chroma neo4j

Options of a kind come from ENTREPOT_TEST_<KIND>_<OPTION>, as the contract suite's do; without `uri` Chroma is embedded.

`ratio` is the port's time over the bare driver's. Where the driver blocks, the port's call goes to a thread and back, and
the bare one does not: `hop` is what `run_in_executor` takes for a call that does nothing, and `less hop` the ratio without
it. A `!` stands at more than 1.3 of that, and for bulk, where no hop is taken off, at less than 70 % of the engine's rate.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.bench.engines.comparison import Figure, table
from tests.bench.engines.kinds import MODULES, compared


def main() -> None:
    """Measure the kinds that were asked for, all of them if none was."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("kinds", nargs="*", metavar="kind")
    kinds: list[str] = words.parse_args().kinds or [*MODULES]
    if unknown := sorted({*kinds} - {*MODULES}):
        words.error(f"no comparison of {', '.join(unknown)}; there are: {', '.join(MODULES)}")
    figures: list[Figure] = []
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as processes:
        for found in processes.map(compared, kinds):
            figures += found
    print(table(figures))


if __name__ == "__main__":
    main()
