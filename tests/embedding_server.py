"""A server of vectors on loopback that speaks OpenAI's protocol."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-secret-of-the-test"


class Server(ThreadingHTTPServer):
    """Answers with one vector a text, (length, 1, 0), the last text first; `failures` come before."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.failures = []
        self.requests = []
        self.alter = lambda data: data

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], body))
        if self.server.failures:
            status = self.server.failures.pop(0)
            return self.answer(status, {"error": {"message": f"no: {self.headers['Authorization']}"}})
        data = [
            {"object": "embedding", "index": i, "embedding": [len(text), 1.0, 0.0]}
            for i, text in enumerate(body["input"])
        ]
        return self.answer(
            200,
            {
                "object": "list",
                "model": "m",
                "data": self.server.alter(data[::-1]),
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            },
        )

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Retry-After-Ms", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass
