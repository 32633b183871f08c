"""Starts the emulators, speaks to their control API, counts passed and failed checks."""

import asyncio
import json
import time

import aiohttp

ANN = 5001


class Emulators:
    """A running `talaria-emulators` process."""

    def __init__(self, binary):
        self.binary = binary
        self.process = None
        self.session = None
        self.urls = {}

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            self.binary,
            "--until-stdin-closes",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        line = await asyncio.wait_for(self.process.stdout.readline(), 20)
        self.urls = json.loads(line)
        self.session = aiohttp.ClientSession()
        return self

    async def __aexit__(self, *_):
        await self.session.close()
        self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), 5)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()

    async def control(self, action, **arguments):
        url = f"{self.urls['control']}/control/telegram/{action}"
        async with self.session.post(url, json=arguments) as response:
            answer = await response.json()
        if not answer["ok"]:
            raise RuntimeError(f"{action}: {answer['error']}")
        return answer["result"]


class Report:
    """The table of results."""

    def __init__(self):
        self.rows = []

    async def check(self, name, body, limit=30):
        """Runs one check; whatever it raises is its failure."""
        start = time.monotonic()
        try:
            detail = await asyncio.wait_for(body, limit) or ""
            ok = True
        except Exception as error:  # noqa: BLE001: a failed check must not end the others
            detail, ok = f"{type(error).__name__}: {error}", False
        self.rows.append((ok, name, time.monotonic() - start, detail))

    def finish(self):
        width = max(len(name) for _, name, _, _ in self.rows)
        for ok, name, took, detail in self.rows:
            print(f"{'pass' if ok else 'FAIL'}  {name:<{width}}  {took:6.2f} s  {detail}")
        failed = sum(not row[0] for row in self.rows)
        print(f"{len(self.rows) - failed} passed, {failed} failed")
        return failed


def expect(condition, what):
    if not condition:
        raise AssertionError(what)
