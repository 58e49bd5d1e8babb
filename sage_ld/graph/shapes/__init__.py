"""The shapes that every graph conforms to, and validation against them and against shapes of users."""
