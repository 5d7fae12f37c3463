"""The part of the two drivers that is used, and the one place that imports either."""

# The drivers use `importlib.util` without importing it: a value they cannot bind would raise AttributeError.
import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol, TypeAlias, cast

from backends.ports.errors import InvalidInput

DriverName: TypeAlias = Literal["kuzu", "ladybug"]
Cell: TypeAlias = "str | int | float | bool | Sequence[Cell] | None"
Row: TypeAlias = "list[Cell]"
Parameter: TypeAlias = "Cell | Sequence[Mapping[str, Cell]]"
StatementKey: TypeAlias = tuple[str, tuple[type, ...]]
"""The text of a statement and the types of its values."""

KEPT_STATEMENTS: Final[Mapping[DriverName, int]] = {"kuzu": 128, "ladybug": 32}
"""How many statements a session keeps prepared, which takes as long as some runs of a short one."""
KEPT_SORTING: Final[Mapping[DriverName, int]] = {"kuzu": 128, "ladybug": 4}
"""The same of those that sort: in Ladybug each holds on to the memory of its last run, up to 2 MB of the buffer pool."""


class Result(Protocol):
    """The rows of a statement, to be closed before its connection."""

    def has_next(self) -> bool:
        """Say whether there is another row."""
        ...

    def get_next(self) -> Row:
        """Return the next row."""
        ...

    def close(self) -> None:
        """Let go of the rows."""
        ...


class Statement(Protocol):
    """A statement that was parsed and bound to the types of its parameters."""

    def is_success(self) -> bool:
        """Say whether the statement can be run."""
        ...

    def get_error_message(self) -> str:
        """Say what is wrong with it."""
        ...


class Connection(Protocol):
    """A connection; it runs one statement at a time."""

    def execute(self, query: str | Statement, parameters: Mapping[str, Parameter]) -> Result:
        """Run a statement."""
        ...

    def set_query_timeout(self, timeout_in_ms: int) -> None:
        """Bound the time of each statement."""
        ...

    def interrupt(self) -> None:
        """Stop the statement under way."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


class Handle(Protocol):
    """An open file."""

    def close(self) -> None:
        """Let go of the file."""
        ...


class _OpenFile(Protocol):
    def __call__(  # the driver has more options than these
        self,
        database_path: str,
        *,
        buffer_pool_size: int,
        max_num_threads: int,
        max_db_size: int,
        auto_checkpoint: bool,
    ) -> Handle: ...


class _Connect(Protocol):
    def __call__(self, database: Handle) -> Connection: ...


class _Prepare(Protocol):
    def __call__(self, connection: Connection, query: str, parameters: Mapping[str, Parameter]) -> Statement: ...


class Module(Protocol):
    """A driver."""

    __version__: str
    Database: _OpenFile
    Connection: _Connect
    PreparedStatement: _Prepare


_loaded: dict[DriverName, Module] = {}
_guard: Final = threading.Lock()


def load(name: DriverName) -> Module:
    """Return the driver, imported on first use.

    Raises `InvalidInput` when it is not installed, and when this process has the other one: both
    register the same C++ types.
    """
    with _guard:
        if other := next((used for used in _loaded if used != name), None):
            raise InvalidInput(
                f"option driver: this process already uses {other!r}, and the two cannot be loaded together;"
                ' choose one driver for all stores of kind "kuzu"'
            )
        if name not in _loaded:
            try:
                if importlib.util.find_spec(name) is None:
                    raise ModuleNotFoundError(f"no module named {name!r}")
                _loaded[name] = cast("Module", importlib.import_module(name))
            except ImportError as error:
                remedy = f'install it with: pip install "entrepot[{name}]"'
                raise InvalidInput(f"option driver: {name!r} cannot be imported: {error}; {remedy}") from error
        return _loaded[name]


class DriverError(Exception):
    """What went wrong in a driver, in its own words; it has one class for everything."""


class Session:
    """A connection for one thread at a time: every result is fetched and closed, some statements stay prepared."""

    def __init__(self, driver: DriverName, handle: Handle, *, timeout_s: float) -> None:
        module = load(driver)
        self._prepare = module.PreparedStatement
        self._plain = _Kept(KEPT_STATEMENTS[driver])
        self._sorting = _Kept(KEPT_SORTING[driver])
        self._connection = module.Connection(handle)
        self._connection.set_query_timeout(max(1, int(timeout_s * 1_000)))
        self._stopped = False

    def run(self, query: str, parameters: Mapping[str, Parameter] | None = None) -> list[Row]:
        """Return all rows of one statement, which must not hold `;`. Raises `DriverError`."""
        values = parameters or {}
        if self._stopped and query != "ROLLBACK":
            raise DriverError("Interrupted.")
        try:
            result = self._connection.execute(self._statement(query, values), values)
            try:
                rows: list[Row] = []
                while result.has_next():
                    rows.append(result.get_next())
                return rows
            finally:
                result.close()
        except RuntimeError as error:
            raise DriverError(str(error)) from error

    def interrupt(self) -> None:
        """Stop the statement under way and refuse further ones until `resume`; from any thread."""
        self._stopped = True
        self._connection.interrupt()

    def resume(self) -> None:
        """Take statements again."""
        self._stopped = False

    def close(self) -> None:
        """Close the connection."""
        self._plain.clear()
        self._sorting.clear()
        self._connection.close()

    def _statement(self, query: str, values: Mapping[str, Parameter]) -> str | Statement:
        """Return what to run; never the text of a statement with values, which Ladybug would keep for good."""
        if not values:
            return query
        # A statement is bound to the types that it was prepared with; those of rows cannot be told from outside.
        kept = self._sorting if "ORDER BY" in query else self._plain
        key = (query, tuple(map(type, values.values())))
        if (known := kept.find(key)) is not None:
            return known
        rows = cast("Sequence[Mapping[str, Cell]] | None", values.get("rows"))
        # Running looks at the types of all values again; one row is enough to prepare for, and much cheaper.
        made = self._prepare(self._connection, query, values if rows is None else {**values, "rows": rows[:1]})
        if not made.is_success():
            raise DriverError(made.get_error_message())
        if rows is None:
            kept.add(key, made)
        return made


class _Kept:
    """The prepared statements that were used last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._statements: OrderedDict[StatementKey, Statement] = OrderedDict()

    def find(self, key: StatementKey) -> Statement | None:
        """Return a statement."""
        if (found := self._statements.get(key)) is not None:
            self._statements.move_to_end(key)
        return found

    def add(self, key: StatementKey, statement: Statement) -> None:
        """Keep a statement instead of the one that was not used for longest."""
        self._statements[key] = statement
        if len(self._statements) > self._most:
            self._statements.popitem(last=False)

    def clear(self) -> None:
        """Let go of all."""
        self._statements.clear()
