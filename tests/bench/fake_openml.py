"""A server on this machine that answers as OpenML does, in its XML, from runs that are made up."""

from __future__ import annotations

import gzip
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

XMLNS = 'xmlns:oml="http://openml.org/openml"'
QUALITIES = {
    "NumberOfInstances": 200.0,
    "NumberOfFeatures": 9.0,
    "MajorityClassSize": 150.0,
    "NaiveBayesErrRate": 0.25,
}


@dataclass
class Server:
    """Runs by task, each a setup's text values and its accuracy; a task's data set has number 1000
    more. What was asked is in `asked`."""

    runs: dict[str, list[tuple[dict[str, str], float]]]
    broken: set[str] = field(default_factory=set)
    qualities: dict[str, dict[str, float]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    port: int = 0

    def answer(self, call: str) -> tuple[int, str]:
        """Status and text of the answer to an address below api/v1/xml."""
        self.asked.append(call)
        if call.startswith("evaluation/list"):
            return self._evaluations(call)
        if call.startswith("setup/list"):
            numbers = re.search(r"/setup/([\d,]+)", call)[1].split(",")
            return 200, _listed("setups", "".join(self._setup(int(n)) for n in numbers))
        if call.startswith("user/list"):
            return 200, _listed("users", _tags("user", id=2702, username="bot"))
        if call.startswith("data/qualities"):
            return self._qualities(str(int(call.split("/")[2]) - 1000))
        about = {"version": 1, "format": "ARFF", "url": "nowhere"}
        number = call.split("/")[1]
        return 200, _listed("data_set_description", _children(id=number, name="made", **about))

    def _evaluations(self, call: str) -> tuple[int, str]:
        task = re.search(r"/task/(\d+)", call)[1]
        most = int(re.search(r"/limit/(\d+)", call)[1])
        first = int(re.search(r"/offset/(\d+)", call)[1])
        if task in self.broken:
            return 500, "<html>the database is away"
        of_task = list(enumerate(self.runs.get(task, ())))[first : first + most]
        if not of_task:
            return (
                412,
                f"<oml:error {XMLNS}>{_children(code=542, message='No results')}</oml:error>",
            )
        place = list(self.runs).index(task) * 10_000
        common = {"task_id": task, "flow_id": 5891, "flow_name": "mlr.x(6)", "uploader": 2702}
        common |= {"data_id": int(task) + 1000, "data_name": "made", "upload_time": "2017-05-03"}
        common |= {"function": "predictive_accuracy"}
        rows = (
            _tags("evaluation", run_id=place + i, setup_id=place + i, value=value, **common)
            for i, (_, value) in of_task
        )
        return 200, _listed("evaluations", "".join(rows))

    def _setup(self, number: int) -> str:
        values, _ = list(self.runs.values())[number // 10_000][number % 10_000]
        about = {"flow_id": 5891, "flow_name": "mlr.x", "data_type": "x", "default_value": "x"}
        parameters = "".join(
            _tags(
                "parameter",
                id=i,
                full_name=f"mlr.x(6)_{name}",
                parameter_name=name,
                value=value,
                **about,
            )
            for i, (name, value) in enumerate(values.items())
        )
        return f"<oml:setup>{_children(setup_id=number, flow_id=5891)}{parameters}</oml:setup>"

    def _qualities(self, task: str) -> tuple[int, str]:
        known = self.qualities.get(task, QUALITIES)
        rows = (_tags("quality", name=name, value=value) for name, value in known.items())
        return 200, _listed("data_qualities", "".join(rows))

    def configure(self, home: Path) -> dict[str, str]:
        """The environment in which the `openml` package asks this server, once, and keeps its cache
        in `home`."""
        (home / "openml").mkdir(parents=True, exist_ok=True)
        (home / "openml" / "config").write_text(
            f"server = http://127.0.0.1:{self.port}/api/v1/xml\n"
            f"cachedir = {home / 'cache'}\nconnection_n_retries = 1\n"
        )
        return {"XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home), "NO_PROXY": "127.0.0.1"}


def start(server: Server) -> ThreadingHTTPServer:
    """Serve in a thread until it is shut down."""

    class Handler(BaseHTTPRequestHandler):
        wbufsize = -1  # header and body in one packet, or each answer waits for an acknowledgment

        def do_GET(self):
            status, text = server.answer(self.path.removeprefix("/api/v1/xml/").split("?")[0])
            content = gzip.compress(text.encode())
            self.send_response(status)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.port = running.server_address[1]
    threading.Thread(target=running.serve_forever, daemon=True).start()
    return running


def _children(**values: object) -> str:
    return "".join(f"<oml:{name}>{value}</oml:{name}>" for name, value in values.items())


def _tags(kind: str, **values: object) -> str:
    return f"<oml:{kind}>{_children(**values)}</oml:{kind}>"


def _listed(kind: str, content: str) -> str:
    return f"<oml:{kind} {XMLNS}>{content}</oml:{kind}>"
