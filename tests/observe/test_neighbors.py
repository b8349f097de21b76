"""The laws of walking over relations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hythe.observe.neighbors import Edge, spread

EDGES = st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), max_size=25)


def _walk(pairs, *, hops, limit):
    edges = [Edge(n, *pair) for n, pair in enumerate(pairs, 1)]

    def incident(entity):
        return [e for e in reversed(edges) if entity in (e.source, e.target)]

    return edges, spread(
        [1],
        hops=hops,
        limit=limit,
        edges_of=lambda entity, most: incident(entity)[:most],
        degree_of=lambda entity: len(incident(entity)),
    )


def _distances(edges, hops):
    known, frontier = {1: 0}, [1]
    for hop in range(1, hops + 1):
        frontier = sorted(
            {
                edge.other(entity)
                for entity in frontier
                for edge in edges
                if entity in (edge.source, edge.target)
            }
            - set(known)
        )
        known |= dict.fromkeys(frontier, hop)
    return known


@given(EDGES, st.integers(1, 2))
def test_a_wide_walk_reaches_everything_within_the_hops(pairs, hops):
    """Without a tight limit all that lies within the hops is reached, at its distance."""
    edges, walk = _walk(pairs, hops=hops, limit=1_000)
    found = {entity: step.hops for entity, step in walk.steps.items()}

    assert _distances(edges, hops) == found
    assert walk.left_out == 0


@given(EDGES, st.integers(1, 2), st.integers(1, 10))
def test_a_limit_bounds_the_relations_and_says_so(pairs, hops, limit):
    """At most `limit` relations are taken; what is missing is counted."""
    _edges, walk = _walk(pairs, hops=hops, limit=limit)
    _, whole = _walk(pairs, hops=hops, limit=1_000)

    assert len(walk.edges) <= limit
    assert (len(walk.edges) == len(whole.edges)) == (walk.left_out == 0)


@given(EDGES)
def test_a_path_leads_from_the_start(pairs):
    """The relations of a path join end to end, and reach the entity."""
    _, walk = _walk(pairs, hops=2, limit=1_000)

    for entity, step in walk.steps.items():
        at = 1
        for number in step.path:
            at = walk.edges[number].other(at)

        assert entity == at
        assert step.hops == len(step.path)
