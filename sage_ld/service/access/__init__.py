"""Access control: tokens and roles, hosts, and the web pages of other origins."""
