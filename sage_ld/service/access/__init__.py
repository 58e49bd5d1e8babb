"""Who may do what, and which pages of other sites may read: tokens and headers."""
