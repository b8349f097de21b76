"""The objects people hold: a store, and the scopes in it."""

from __future__ import annotations

from hythe._api.care import restore
from hythe._api.scope import Scope
from hythe._api.store import Store, in_memory, open_store

__all__ = ["Scope", "Store", "in_memory", "open_store", "restore"]
