"""Films."""

import os


# A film
@frozen
class Film(Work):
    """A film, and who made it."""

    year = 1987

    def play(self) -> None:
        """Plays it."""
        print(self.year)


def main():
    Film().play()
