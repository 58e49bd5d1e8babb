"""Settings: read from table and environment, checked, and each of them documented."""

from __future__ import annotations

import inspect
import re
from dataclasses import Field, fields
from pathlib import Path

import pytest

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"


def test_the_page_is_what_the_table_says() -> None:
    assert PAGE.read_text(encoding="utf-8").partition("<!-- table -->\n")[2] == table()


def table() -> str:
    """The tables of docs/settings.md; to rewrite them: PYTHONPATH=. python tests/test_settings.py."""
    lines: list[str] = []
    by_name = {each.name: each for each in fields(Settings)}
    for heading, names in groups().items():
        lines += [f"## {heading}", "", "| setting | default | unit | meaning |", "|---|---|---|---|"]
        lines += [row(by_name.pop(name)) for name in names]
        lines.append("")
    assert by_name == {}
    return "\n".join(lines[:-1]) + "\n"


def groups() -> dict[str, list[str]]:
    """The names of the settings below each comment that divides them."""
    parts = re.split(r"^    # (.+)$", inspect.getsource(Settings), flags=re.M)[1:]
    return {
        heading[0].upper() + heading[1:]: re.findall(r"^    (\w+): \w+ = setting\(", body, re.M)
        for heading, body in zip(parts[::2], parts[1::2], strict=True)
    }


def row(setting: Field[object]) -> str:
    default = f"{setting.default:,}" if type(setting.default) is int else repr(setting.default)
    where = " Only in the environment." if setting.metadata["only_environment"] else ""
    return (
        f"| `{setting.name}` | `{default}` | {setting.metadata['unit']} | {setting.metadata['help']}{where} |"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_file_byte": 1}, "unknown setting 'max_file_byte'; did you mean max_file_bytes?"),
        ({"max_file_bytes": "many"}, "max_file_bytes: 'many' is not an int"),
        ({"max_file_bytes": 0}, "max_file_bytes: 0 is below its minimum 1"),
        ({"max_request_line": 70_000}, "max_request_line: 70000 is above its maximum 65000"),
        ({"sparql_timeout": "nan"}, "sparql_timeout: 'nan' is not a float"),
    ],
)
def test_a_bad_value_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Settings.load(given, environment={})


def test_the_environment_comes_before_the_table() -> None:
    loaded = Settings.load({"max_results": 5}, environment={"SAGE_LD_MAX_RESULTS": "7"})
    assert loaded.max_results == 7


@pytest.mark.parametrize(
    "name", [each.name for each in fields(Settings) if each.metadata["only_environment"]]
)
def test_what_is_trusted_comes_from_the_environment_only(name: str) -> None:
    """A graph may be a stranger's, and its table with it."""
    table, variable = {name: "1"}, f"SAGE_LD_{name.upper()}"
    with pytest.raises(InputError, match=f"setting {name}: the graph's .* set {variable}"):
        Settings.load(table, environment={})
    assert str(getattr(Settings.load(table, environment={variable: "2"}), name)) == "2"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SAGE_LD_MAX_FILE_BYTE", "did you mean SAGE_LD_MAX_FILE_BYTES?"),
        ("SAGE_LD_max_results", "unknown environment variable 'SAGE_LD_max_results'"),
        ("SAGE_LD_ENCODER_PRECISION", "is no longer a setting; name the encoder minilm:fp32"),
        ("SAGE_LD_XYZZY", "'SAGE_LD_XYZZY'; the settings are listed in docs/settings.md"),
    ],
)
def test_an_unknown_variable_is_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Settings.load(environment={name: "1", "SAGE_LD_MAX_RESULTS": "5"})


def test_variables_of_other_programs_are_left_alone() -> None:
    others = {
        "SAGE_DATA": "data",
        "_SAGE_LD_COMPLETE": "complete_bash",
        "SAGE_LDX": "1",
        "SAGE_LD_TEST_SEED": "1",
    }
    assert Settings.load(environment=others) == Settings()


if __name__ == "__main__":
    root = Path(inspect.getfile(Settings)).parents[2]
    if root != PAGE.parents[1]:
        raise SystemExit(
            f"the settings are those of {root}, the page is in {PAGE.parents[1]}; set PYTHONPATH to this"
        )
    head = PAGE.read_text(encoding="utf-8").partition("<!-- table -->\n")[0]
    PAGE.write_text(f"{head}<!-- table -->\n{table()}", encoding="utf-8")
