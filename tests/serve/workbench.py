"""`tailbound serve` started for a test: its link, requests to it, and its resource usage."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import urllib.parse

TAILBOUND = os.environ.get("TAILBOUND", "build/release/tailbound")
FULL = bool(os.environ.get("TAILBOUND_FULL"))


class Workbench:
    def __init__(self, *options):
        self.process = subprocess.Popen(
            [TAILBOUND, "serve", "--no-open", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        self.link = self.process.stdout.readline().strip()
        assert self.link.startswith("http://"), self.link + self.process.stderr.read()
        parts = urllib.parse.urlsplit(self.link)
        self.port, self.path = parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def end(self, how=signal.SIGTERM):
        """The exit status, and standard error."""
        self.process.send_signal(how)
        status = self.process.wait(timeout=30)
        return status, self.process.stderr.read()

    # --- requests

    def request(self, method, path, body=None, headers=None, connection=None):
        """(status, headers, bytes)"""
        own = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            given = dict(headers or {})
            if body is not None and "Content-Type" not in given:
                given["Content-Type"] = "application/json"
            own.request(method, path, body, given)
            answer = own.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            if connection is None:
                own.close()

    def get(self, path, **more):
        return self.request("GET", self.path + path, **more)

    def post(self, path, asked, **more):
        status, _, content = self.request("POST", self.path + path, json.dumps(asked), **more)
        assert status == 200, (status, content)
        return content

    def ask(self, question, files=None, **options):
        return json.loads(self.post("api/ask", asked(question, files, **options)))

    def raw(self, sent, wait=5.0):
        """The response to these bytes, until the server closes or has answered."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as connection:
            try:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                come = b""
                while block := connection.recv(65536):
                    come += block
                return come
            except OSError:
                return b""

    # --- resource usage

    def processes(self):
        """The server and all its descendants."""
        below = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            below.setdefault(int(fields[1]), []).append(int(folder.name))
        found, look = [], [self.process.pid]
        while look:
            one = look.pop()
            found.append(one)
            look += below.get(one, [])
        return found

    def zombies(self):
        count = 0
        for process in self.processes():
            try:
                count += pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
            except OSError:
                pass
        return count

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident(self):
        """Resident memory of the server itself [bytes]."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024


def asked(question, files=None, **options):
    """A query with its options by their Python names; True is a flag."""
    return {
        "question": question,
        "options": [
            [name if name.isupper() else "--" + name.replace("_", "-"), "" if value is True else str(value)]
            for name, value in options.items()
        ],
        "files": files or {},
    }


def words(question, files=None, **options):
    """The same as words of a command line."""
    made = question.split()
    for name, value in options.items():
        if not name.isupper():
            made.append("--" + name.replace("_", "-"))
        if value is not True:
            made.append(str(value))
    return made


def command(*given, folder=None):
    """Runs the command itself."""
    return subprocess.run([os.path.abspath(TAILBOUND), *given], capture_output=True, cwd=folder, timeout=120)
