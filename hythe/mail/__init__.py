"""Messages and handoffs between agents, each inbox in its own order."""
