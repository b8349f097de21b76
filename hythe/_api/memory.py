"""Entities, observations and relations, as a store offers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hsum._kernel.faults import Fault, boundary, guarded
from hsum._kernel.text import check_flag, check_text
from hythe._api.handle import Handle, scope_of
from hythe.checkpoint.scopes import require_scope, spelled
from hythe.errors import family
from hythe.model import CURRENT
from hythe.observe import (
    batches,
    checks,
    entities,
    observations,
    related,
    relations,
    requests,
    search,
)
from hythe.observe.entities import create_entities
from hythe.resume.counter import check_counter
from hythe.resume.wire import compact, item

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping

    from hythe._api.scope import Scope
    from hythe.model import Current, Entity, Observation, Page, Relation, ScopeName
    from hythe.observe.model import EntityDetail, Hits, Neighborhood, Related

_MOST = 1_000
_MOST_CHANGES = 10_000
_QUERY_BYTES = 16_384


@boundary(family)
class Memory(Handle):
    """What is known about named subjects.

    An entity is passed by name, by alias, or as an `Entity`. Names match exactly:
    two are one iff their NFC forms are equal.
    """

    # --- entities -----------------------------------------------------------------

    def entity(
        self,
        name: str,
        *,
        kind: str | None = None,
        aliases: Iterable[str] = (),
        definition: str | None = None,
        key: str | None = None,
    ) -> Entity:
        """Make a named subject.

        Args:
            name: 1 to 200 characters; the first spelling is kept.
            kind: what sort of thing it is.
            aliases: further names that find it.
            definition: what it is, written once: a snapshot, never its state.
            key: with the same key, the same request gives the first result.

        Raises:
            Taken: `ENTITY_EXISTS`, `ALIAS_TAKEN`, `KEY_REUSED`.
        """
        asked = {"name": name, "kind": kind, "aliases": aliases}
        new = checks.new_entity({**asked, "definition": definition})
        made = self._write(entities.create_entity, new, checks.check_key(key))
        warned: Entity = self._warned(made, {"definition": definition})
        return warned

    def create_entities(
        self, entities: Iterable[str | Mapping[str, Any]]
    ) -> tuple[Entity, ...]:
        """Make many named subjects in one transaction.

        Each item is a name, or a mapping with the arguments of `entity`. Each result
        tells by `created` whether this call made it; an item whose name is known, or
        stands twice in the call, changes nothing.

        Raises:
            Taken: `ALIAS_TAKEN`, for the whole call.
        """
        listed = checks.check_list(entities, "$.entities", most=_MOST_CHANGES)
        news = [
            checks.new_entity(item, f"$.entities[{index}]")
            for index, item in enumerate(listed)
        ]
        made = self._write(create_entities, news)
        return tuple(
            self._warned(entity, {"definition": new.definition})
            for entity, new in zip(made, news, strict=True)
        )

    def add_aliases(self, entity: str | Entity, aliases: Iterable[str]) -> Entity:
        """Give an entity further names; those it has already change nothing.

        Raises:
            NotFound: no entity has the name.
            Taken: `ALIAS_TAKEN`.
        """
        wanted = checks.check_aliases(aliases, "$.aliases")
        return self._write(entities.add_aliases, _name(entity), wanted)

    def get_entity(self, entity: str | Entity) -> Entity:
        """Return the entity of exactly this name or alias.

        Raises:
            NotFound: no entity has it; the details hold near names.
        """
        return self._read(entities.get_entity, _name(entity))

    def entities(self, *, limit: int = 100, cursor: str | None = None) -> Page[Entity]:
        """Return entities in the order they were made."""
        return self._read(entities.list_entities, limit=_limit(limit), cursor=cursor)

    # --- observations -------------------------------------------------------------

    def observe(
        self,
        entity: str | Entity,
        text: str,
        *,
        supersedes: Iterable[str | Observation] | str | Observation = (),
        replaces: Any = None,
        kind: str | None = None,
        evidence: Iterable[Any] = (),
        metadata: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Observation:
        """Record a statement about an entity, which is made where the name is new.

        A correction is another observation: it names what it supersedes, and the
        superseded ones are kept.

        Args:
            entity: a name, an alias, or an `Entity`.
            text: what was observed.
            supersedes: earlier observations of this entity that it corrects.
            replaces: `CURRENT` supersedes what is current when the write happens.
            kind: what sort of statement it is.
            evidence: texts, or values whose `str` is one, such as citations.
            metadata: plain JSON data.
            key: with the same key, the same request gives the first result.

        Raises:
            NotFound: `supersedes` names anything but observations of this entity.
            Taken: `KEY_REUSED`.
        """
        new = requests.new_observation(
            entity,
            text,
            supersedes=supersedes,
            replaces=replaces,
            kind=kind,
            evidence=evidence,
            metadata=metadata,
            key=key,
        )
        recorded: Observation = self._warned(
            self._write(observations.observe, new),
            {"text": new.text, "evidence": new.evidence, "metadata": metadata},
        )
        return recorded

    def add_observations(
        self,
        observations: Iterable[Mapping[str, Any]],
        *,
        mode: Literal["append", "replace-current"] = "append",
    ) -> tuple[Observation, ...]:
        """Record many statements in one transaction: all of them or none.

        Args:
            observations: mappings with the arguments of `observe` but `replaces`.
            mode: `replace-current` supersedes what is current of each entity, in
                the order given.

        Raises:
            NotFound, Taken: as `observe`, for the whole call.
        """
        if mode not in ("append", "replace-current"):
            raise Fault(
                "INVALID_ARGUMENT",
                "$.mode is append or replace-current",
                details={"path": "$.mode"},
            )
        replaces = CURRENT if mode == "replace-current" else None
        news = requests.new_observations(observations, replaces=replaces)
        made = self._write(batches.observe_all, news)
        return tuple(
            self._warned(one, {"text": new.text, "evidence": new.evidence})
            for one, new in zip(made, news, strict=True)
        )

    def current_observation(self, entity: str | Entity) -> Current:
        """Return what holds of an entity: its newest observation that none supersedes.

        Others that none supersedes stand in `also_live` (the newest 20) and
        `also_live_count`: disagreement is shown, not settled. Costs the same however
        long the history is.
        """
        reread = guarded(family, self._reread)
        return self._read(observations.current_observation, _name(entity), reread)

    def _reread(self, read: Callable[[Any], Any]) -> Any:
        return self._read(lambda conn, _: read(conn))

    def observations(
        self,
        entity: str | Entity,
        *,
        live: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Observation]:
        """Return the observations of an entity, newest first.

        Args:
            entity: a name, an alias, or an `Entity`.
            live: only those that no other supersedes.
            limit: how many at most, 1 to 1,000.
            cursor: `next` of the page before.
        """
        return self._read(
            observations.list_observations,
            _name(entity),
            live=check_flag(live, "$.live"),
            limit=_limit(limit),
            cursor=cursor,
        )

    def observation(self, id: str) -> Observation:  # noqa: A002 - its name everywhere
        """Return one observation by id.

        Raises:
            NotFound: there is none.
        """
        return self._read(observations.get_observation, check_text(id, "$.id"))

    # --- relations ----------------------------------------------------------------

    def relate(
        self,
        source: str | Entity,
        type: str,  # noqa: A002 - the contract's name
        target: str | Entity,
        *,
        evidence: Iterable[Any] = (),
        key: str | None = None,
    ) -> Relation:
        """Record that `source` stands in a relation to `target`.

        Both are made where their names are new. The same relation with the same
        evidence is given back, with `replayed`.

        Raises:
            Taken: `KEY_REUSED`.
        """
        new = requests.new_relation(source, type, target, evidence=evidence)
        made = self._write(relations.relate, new, checks.check_key(key))
        warned: Relation = self._warned(made, {"evidence": new.evidence})
        return warned

    def create_relations(
        self, relations: Iterable[Mapping[str, Any]]
    ) -> tuple[Relation, ...]:
        """Record many relations in one transaction: all of them or none.

        Each is a mapping of `from`, `type`, `to`, and `evidence` where there is some;
        `source` and `target` are taken too.
        """
        news = requests.new_relations(relations)
        made = self._write(batches.relate_all, news)
        return tuple(
            self._warned(one, {"evidence": new.evidence})
            for one, new in zip(made, news, strict=True)
        )

    def detail(self, entity: str | Entity, *, limit: int = 20) -> EntityDetail:
        """Return an entity with its newest observations and relations.

        Args:
            entity: a name, an alias, or an `Entity`.
            limit: the most observations, and the most relations.

        Raises:
            NotFound: no entity has the name.
        """
        reread = guarded(family, self._reread)
        return self._read(batches.detail, _name(entity), _limit(limit), reread)

    def relations(
        self, entity: str | Entity, *, limit: int = 100, cursor: str | None = None
    ) -> Page[Relation]:
        """Return the relations from and to an entity, newest first.

        Raises:
            NotFound: no entity has the name.
        """
        return self._read(
            relations.list_relations, _name(entity), limit=_limit(limit), cursor=cursor
        )

    def neighborhood(
        self, entity: str | Entity, *, hops: int = 1, limit: int = 100
    ) -> Neighborhood:
        """Return what lies within one or two relations of an entity, nearest first.

        Args:
            entity: a name, an alias, or an `Entity`.
            hops: 1 or 2.
            limit: the most relations to follow; `left_out` counts the others.

        Raises:
            NotFound: no entity has the name.
        """
        return self._read(
            relations.neighborhood,
            _name(entity),
            hops=checks.check_bound(hops, "$.hops", least=1, most=2),
            limit=_limit(limit),
        )

    # --- search -------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        superseded: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Hits:
        """Return entities and current observations that have words of the query.

        The query is words, never syntax; any of them is enough, and more of them,
        rarer ones and whole compounds rank higher.

        Args:
            query: words in any script.
            superseded: superseded observations too, each with its replacement.
            limit: how many at most, 1 to 1,000.
            cursor: `next` of the page before.

        Raises:
            InvalidInput: the query is blank.
        """
        return self._read(
            search.search,
            check_text(query, "$.query", limit=_QUERY_BYTES),
            superseded=check_flag(superseded, "$.superseded"),
            limit=_limit(limit),
            cursor=cursor,
        )

    def related(
        self,
        scope: Scope | ScopeName,
        intent: str,
        *,
        budget: int = 4_000,
        count_tokens: Callable[[str], int] | None = None,
    ) -> Related:
        """Return what bears on an intent in a scope, best first; reads only.

        Entities and live observations that have words of the intent are ranked again
        by how near they lie, over one or two relations, to each other and to the
        entities of the scope.

        Args:
            scope: what the work is about.
            intent: words that say what is to be done.
            budget: the most tokens of the answer's compact JSON.
            count_tokens: another counter than the built-in estimate.

        Raises:
            NotFound: `SCOPE_UNKNOWN`.
            InvalidInput: the intent is blank; `BUDGET_TOO_SMALL`, with the minimum.
        """
        name = scope_of(scope)
        asked = check_text(intent, "$.intent", limit=_QUERY_BYTES)
        if not asked.strip():
            raise Fault(
                "INVALID_ARGUMENT",
                "the intent is blank",
                hint="Say in a few words what is to be done.",
                details={"path": "$.intent"},
            )
        most = checks.check_bound(budget, "$.budget", least=1, most=2**31)
        count = check_counter(count_tokens)

        def read(conn: sqlite3.Connection, store: int) -> Related:
            exact = spelled(conn, require_scope(conn, store, name))
            parts = [part for part in (exact.project, exact.task) if part]
            return related.related(
                conn,
                store,
                parts,
                asked,
                budget=most,
                size=lambda it: count(text_of(it)),
            )

        return self._read(read)


def text_of(found: Related) -> str:
    """Return an answer as the compact JSON that an agent receives."""
    return compact({"untrustedContent": True, **item(found)})


def _name(entity: str | Entity) -> str:
    return checks.check_name(getattr(entity, "name", entity), "$.entity")


def _limit(limit: int) -> int:
    return checks.check_bound(limit, "$.limit", least=1, most=_MOST)
