"""The Flask application: the table of routes, and the context that handlers share."""

from __future__ import annotations

from pathlib import Path
from wsgiref.types import WSGIApplication

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from sage_ld.foundation.settings import Settings
from sage_ld.service import context, route_table
from sage_ld.service.access import hosts
from sage_ld.service.access.hosts import LOCAL
from sage_ld.service.http import problems, request_values, responses, static_files
from sage_ld.service.http.environ import ROUTE
from sage_ld.service.http.static_files import PathPrefix
from sage_ld.service.route_table import register, routes
from sage_ld.service.routes import export, resources
from sage_ld.service.routes.documents import IdentifierConverter
from sage_ld.service.sparql.endpoint import SparqlEndpoint


def create_app(graph: str | Path, settings: Settings | None = None, host: str = LOCAL) -> Flask:
    """The WSGI application that serves the graph in the directory `graph`, on the address `host`.

    `settings` are those of the graph's `sage-ld.toml` and the environment unless given. Worker processes
    start at once; `context.service().close()` in the application's context ends them.

    Raises NotFoundError, InputError, ConflictError if there is no graph that can be read.
    """
    opened = context.open_service(Path(graph), settings, host)
    app = Flask("sage_ld.service.views" if responses.PAGES else "sage_ld.service")
    app.config["MAX_FORM_MEMORY_SIZE"] = opened.settings.max_body_bytes
    context.attach(app, opened)
    export.attach(app, opened)
    problems.register(app)
    app.before_request(lambda: route_table.check(opened, request))
    app.after_request(lambda answer: hosts.add_all(answer, opened.settings, request))
    app.before_request(_name_route)
    app.before_request(request_values.refuse_repeated)
    app.url_map.converters["identifier"] = IdentifierConverter
    register(app, routes(), opened.settings)
    app.context_processor(lambda: {"has_route": app.view_functions.__contains__})
    resources.register(app, opened)
    static_files.serve(app)
    setattr(app, "wsgi_app", _wrapped(app.wsgi_app, opened))  # noqa: B010  # it is a method to mypy
    return app


def _wrapped(app: WSGIApplication, opened: context.Service) -> WSGIApplication:
    """The application inside its middleware."""
    settings = opened.settings
    inner: WSGIApplication = SparqlEndpoint(app, opened)
    if settings.path_prefix:
        inner = PathPrefix(inner, context.checked_prefix(settings.path_prefix))
    count = settings.trusted_proxies
    return ProxyFix(inner, x_for=count, x_proto=count, x_host=count, x_prefix=count) if count else inner


def _name_route() -> None:
    rule = request.url_rule
    request.environ[ROUTE] = rule.rule if rule is not None else "none"
