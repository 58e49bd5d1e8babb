"""The check of wordings, which `make lint` runs over all files: it finds each."""

import pytest
from english import faults_of, main


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "Charts are none."),
        ("a.md", "Half of the threads, because who waits holds one."),
        ("a.md", "It is built anew."),
        ("a.py", 'raise InputError(f"way {name!r} is none; give one of {known}")'),
        ("a.py", 'raise InputError(f"{key} is no string")'),
        ("a.py", 'raise InputError(f"role {name!r}: no such role; choose from {known}")'),
        ("a.py", '"""What follows from a key alone, kept for later."""'),
        ("a.py", 'def cell():\n    """How many cells there are."""'),
    ],
)
def test_a_wording_is_found_at_its_line(name: str, text: str) -> None:
    faults = list(faults_of(name, text))
    assert faults
    assert {each.place for each in faults} <= {f"{name}:1", f"{name}:2"}
    assert all(each.better for each in faults)


@pytest.mark.parametrize(
    "text",
    [
        'raise InputError(f"{name}: there is no column {column!r}; choose from {columns}")',
        '"""Whether a text is empty; None if there is none."""',
        'def _is_cell():\n    """Whether a cell is shown."""',
        '"""A client who waits."""',
    ],
)
def test_plain_english_is_no_fault(text: str) -> None:
    assert list(faults_of("a.py", text)) == []


def test_the_exit_status_says_whether_there_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert main(faults_of("a.md", "It is built anew.")) == 1
    assert "a.md:1: It is built anew." in capsys.readouterr().out
