"""The typed part of the two drivers that the adapter uses. No other module imports a driver."""

# The drivers use `importlib.util` without importing it; binding an unsupported value would raise AttributeError.
import importlib.util
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol, TypeAlias, cast

from backends.kit.byte_cache import ByteCache
from backends.ports.errors import InvalidInput

DriverName: TypeAlias = Literal["kuzu", "ladybug"]
Cell: TypeAlias = "str | int | float | bool | Sequence[Cell] | None"
Row: TypeAlias = "list[Cell]"
Parameter: TypeAlias = "Cell | Sequence[Mapping[str, Cell]]"
StatementKey: TypeAlias = tuple[str, tuple[type, ...]]
"""A statement's text and the types of its values."""

KEPT_STATEMENTS: Final[Mapping[DriverName, int]] = {"kuzu": 128, "ladybug": 32}
"""How many prepared statements a session keeps. Preparing a short statement costs as much as running it several times."""
KEPT_SORTING: Final[Mapping[DriverName, int]] = {"kuzu": 128, "ladybug": 4}
"""The same for statements that sort. In Ladybug each keeps the memory of its last run, up to 2 MB of the buffer pool."""
STATEMENT_BYTES: Final = 4_096
"""What a statement of ordinary length counts for."""


class Result(Protocol):
    """The rows of a statement. It must be closed before its connection."""

    def has_next(self) -> bool:
        """Return whether there is another row."""
        ...

    def get_next(self) -> Row:
        """Return the next row."""
        ...

    def close(self) -> None:
        """Release the rows."""
        ...


class PreparedQuery(Protocol):
    """A prepared statement, bound to the types of its parameters."""

    def is_success(self) -> bool:
        """Return whether the statement can be run."""
        ...

    def get_error_message(self) -> str:
        """Return why the statement cannot be run."""
        ...


class Connection(Protocol):
    """A connection. It runs one statement at a time."""

    def execute(self, query: str | PreparedQuery, parameters: Mapping[str, Parameter]) -> Result:
        """Run a statement."""
        ...

    def set_query_timeout(self, timeout_in_ms: int) -> None:
        """Limit the time of each statement."""
        ...

    def interrupt(self) -> None:
        """Stop the running statement."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


class Handle(Protocol):
    """An open file."""

    def close(self) -> None:
        """Release the file."""
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
    def __call__(self, connection: Connection, query: str, parameters: Mapping[str, Parameter]) -> PreparedQuery: ...


class Module(Protocol):
    """A driver."""

    __version__: str
    Database: _OpenFile
    Connection: _Connect
    PreparedStatement: _Prepare


_DRIVERS: Final[tuple[DriverName, ...]] = ("kuzu", "ladybug")
_guard: Final = threading.Lock()


def load(name: DriverName) -> Module:
    """Return the driver, imported on first use.

    Raises `InvalidInput` if it is not installed, or if any part of this process has imported the other driver: both
    register the same C++ types, so importing the second fails, or crashes the process when it ends.
    """
    with _guard:
        if other := next((each for each in _DRIVERS if each != name and each in sys.modules), None):
            raise InvalidInput(
                f"option driver: this process already uses {other!r}, and the two cannot be loaded together;"
                ' choose one driver for all stores of kind "kuzu"'
            )
        try:
            if name not in sys.modules and importlib.util.find_spec(name) is None:
                raise ModuleNotFoundError(f"no module named {name!r}")
            return cast("Module", importlib.import_module(name))
        except ImportError as error:
            remedy = f'install it with: pip install "entrepot[{name}]"'
            raise InvalidInput(f"option driver: {name!r} cannot be imported: {error}; {remedy}") from error


RAISED: Final = (RuntimeError, ValueError, LookupError, ArithmeticError, MemoryError)
"""What the drivers raise: RuntimeError, and over damaged pages whatever the C++ library raises."""


class DriverError(Exception):
    """A driver's error with its message."""


class Session:
    """A connection for one thread at a time. Results are fetched and closed at once; some statements stay prepared."""

    def __init__(self, driver: DriverName, handle: Handle, *, timeout_s: float) -> None:
        module = load(driver)
        self._prepare = module.PreparedStatement
        self._plain = _kept_statements(KEPT_STATEMENTS[driver])
        self._sorting = _kept_statements(KEPT_SORTING[driver])
        self._connection = module.Connection(handle)
        self._connection.set_query_timeout(max(1, int(timeout_s * 1_000)))
        self._stopped = False

    def run(self, query: str, parameters: Mapping[str, Parameter] | None = None) -> list[Row]:
        """Return all rows of one statement, which must not contain `;`. Raises `DriverError`."""
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
        except RAISED as error:
            raise DriverError(str(error)) from error

    def interrupt(self) -> None:
        """Stop the running statement and refuse others until `resume`. May be called from any thread."""
        self._stopped = True
        self._connection.interrupt()

    def resume(self) -> None:
        """Accept statements again."""
        self._stopped = False

    def close(self) -> None:
        """Close the connection."""
        self._plain.clear()
        self._sorting.clear()
        self._connection.close()

    def _statement(self, query: str, values: Mapping[str, Parameter]) -> str | PreparedQuery:
        """Return what to execute. It is never the text of a statement with values: Ladybug would keep each one forever."""
        if not values:
            return query
        # A statement is bound to the types it was prepared with. The types inside `rows` are not visible in the key.
        kept = self._sorting if "ORDER BY" in query else self._plain
        key = (query, tuple(map(type, values.values())))
        if (known := kept.get(key)) is not None:
            return known
        rows = cast("Sequence[Mapping[str, Cell]] | None", values.get("rows"))
        # Executing checks the types of all values again, so one row is enough to prepare with, and much cheaper.
        made = self._prepare(self._connection, query, values if rows is None else {**values, "rows": rows[:1]})
        if not made.is_success():
            raise DriverError(made.get_error_message())
        if rows is None:
            kept.put(key, made)
        return made


def _kept_statements(most: int) -> ByteCache[StatementKey, PreparedQuery]:
    """Return a cache of about that many statements, and of fewer long ones."""

    def size(key: StatementKey, _: PreparedQuery) -> int:
        return max(STATEMENT_BYTES, 4 * len(key[0]))

    return ByteCache(most * STATEMENT_BYTES, size)
