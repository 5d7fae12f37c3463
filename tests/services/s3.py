"""An object store: moto's S3 on loopback, which checks credentials as the real one does."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol, cast

from tests.services.needed import Missing
from tests.support.ports import free_port

STARTS_WITHIN_S: Final = 60.0
BUCKET: Final = "entrepot"
REGION: Final = "us-east-1"
_STRAIGHT: Final = Path(__file__).with_name("s3_straight.py")
_POLICY: Final = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
_UNCHECKED: Final = 4
"""Requests that need no credentials: those that make the user, its key, its policy and the bucket."""


@dataclass(slots=True)
class ObjectStore:
    """A server that keeps its objects in memory, on a port of its own."""

    folder: Path
    straight: bool = False
    """Whether it spends its time on S3 alone, and logs nothing."""
    port: int = field(default_factory=free_port)
    access_key: str = ""
    secret_key: str = ""
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def options(self) -> Mapping[str, str | bool]:
        """The options of a store that lies in it, `uri` included."""
        return {
            "uri": f"s3://{BUCKET}/tests",
            "endpoint": self.endpoint,
            "region": REGION,
            "access_key": self.access_key,
            "secret_key": self.secret_key,
            "allow_http": True,
        }

    def start(self, *, for_anybody: bool = False) -> None:
        """Start it, empty, with a user and a bucket; `for_anybody` it checks no credentials. Raises `TimeoutError`."""
        checking = {} if for_anybody else {"INITIAL_NO_AUTH_ACTION_COUNT": str(_UNCHECKED)}
        environment = {**os.environ, **checking}
        log = self.folder / "server.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, *self._program], stdout=output, stderr=output, env=environment, cwd=self.folder
            )
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                self.kill()
                raise TimeoutError(f"the object store did not start; see {log}")
            time.sleep(0.05)
        self._furnish()

    @property
    def _program(self) -> Sequence[str]:
        if self.straight:
            return ["-P", str(_STRAIGHT), BUCKET, str(self.port)]
        return ["-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]

    def requested(self, text: str) -> int:
        """Return how many requests had this in them, if it is not `straight`."""
        return (self.folder / "server.log").read_text(encoding="utf-8").count(text)

    def pause(self) -> None:
        """Let it accept connections and say nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """End a pause."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once, with what it held; repeatable."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def _answers(self) -> bool:
        asking = http.client.HTTPConnection("127.0.0.1", self.port, timeout=1)
        try:
            asking.request("GET", "/moto-api/data.json")
            return asking.getresponse().status == 200
        except OSError:
            return False
        finally:
            asking.close()

    def _furnish(self) -> None:
        users = _client("iam", self.endpoint)
        users.create_user(UserName="tester")
        key = users.create_access_key(UserName="tester")["AccessKey"]
        users.put_user_policy(UserName="tester", PolicyName="all", PolicyDocument=json.dumps(_POLICY))
        self.access_key, self.secret_key = key["AccessKeyId"], key["SecretAccessKey"]
        _client("s3", self.endpoint).create_bucket(Bucket=BUCKET)


class _Client(Protocol):
    """What is used of boto3's clients."""

    def create_user(self, *, UserName: str) -> object: ...  # noqa: N803 -- the names are Amazon's
    def create_access_key(self, *, UserName: str) -> Mapping[str, Mapping[str, str]]: ...  # noqa: N803
    def put_user_policy(self, *, UserName: str, PolicyName: str, PolicyDocument: str) -> object: ...  # noqa: N803
    def create_bucket(self, *, Bucket: str) -> object: ...  # noqa: N803


class _Boto(Protocol):
    def client(self, service_name: str, *, endpoint_url: str, region_name: str, **credentials: str) -> _Client: ...


def _client(service: str, endpoint: str) -> _Client:
    import boto3

    credentials = {"aws_access_key_id": "nobody", "aws_secret_access_key": "nothing"}
    return cast("_Boto", boto3).client(service, endpoint_url=endpoint, region_name=REGION, **credentials)


@contextmanager
def served(folder: Path, *, straight: bool = False) -> Generator[ObjectStore]:
    """Run an object store and end it in any case. Raises `Missing`."""
    if find_spec("moto") is None or find_spec("flask") is None:
        raise Missing("moto's server is not installed (pip install 'moto[server]')")
    store = ObjectStore(folder, straight)
    store.start()
    try:
        yield store
    finally:
        store.kill()


@contextmanager
def running(folder: Path) -> Generator[Mapping[str, str]]:
    """Run an object store for the contract suite."""
    with served(folder, straight=True) as store:
        yield {
            f"ENTREPOT_TEST_LANCEDB_{name.upper()}": value if isinstance(value, str) else json.dumps(value)
            for name, value in store.options.items()
        }
