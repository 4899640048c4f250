"""A program with the official Python SDK, 1.x or 2.x: it logs in by default options, and calls a tool.

It prints the page that the user has to visit, and then what the tool said.
"""

import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from threading import Thread
from urllib.parse import parse_qs, urlparse

from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

MAJOR = int(version("mcp").split(".")[0])
arrived: asyncio.Future


class Callback(BaseHTTPRequestHandler):
    def do_GET(self):
        query = {name: values[0] for name, values in parse_qs(urlparse(self.path).query).items()}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Back at the program")
        loop.call_soon_threadsafe(arrived.set_result, query)

    def log_message(self, *_):
        pass


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def visit(url):
    print(json.dumps({"visit": url}), flush=True)


async def back():
    query = await arrived
    if MAJOR == 1:
        return query["code"], query.get("state")
    from mcp.client.auth import AuthorizationCodeResult

    return AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))


async def main(url):
    global loop, arrived
    loop = asyncio.get_running_loop()
    arrived = loop.create_future()
    server = HTTPServer(("127.0.0.1", 0), Callback)
    Thread(target=server.serve_forever, daemon=True).start()
    auth = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(
            client_name="Python client",
            redirect_uris=[f"http://127.0.0.1:{server.server_port}/callback"],
        ),
        storage=Storage(),
        redirect_handler=visit,
        callback_handler=back,
    )
    if MAJOR == 1:
        import httpx
        from mcp import ClientSession

        async with httpx.AsyncClient(auth=auth, timeout=60) as http:
            async with streamable_http_client(url, http_client=http) as (reading, writing, _):
                async with ClientSession(reading, writing) as session:
                    hello = await session.initialize()
                    result = await session.call_tool("who", {})
                    revision = hello.protocolVersion
    else:
        import httpx2
        from mcp import Client

        async with httpx2.AsyncClient(auth=auth, timeout=60) as http:
            async with Client(streamable_http_client(url, http_client=http)) as client:
                result = await client.call_tool("who", {})
                revision = client.protocol_version
    print(json.dumps({"who": result.content[0].text, "revision": revision}), flush=True)


asyncio.run(main(sys.argv[1]))
