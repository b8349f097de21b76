"""What a third-party client said to the servers, and what they answered.

Recorded from the official TypeScript SDK's client; ids, times, hashes and paths are
replaced by their kind, so that a replay can be compared.
"""

from __future__ import annotations

import json
import re

CITATION = re.compile(r'hsum://v1/[^\s"\\)]+')
_KINDS = (
    (CITATION, "<citation>"),
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<sha256>"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "<time>"),
    (re.compile(r'"(?:/[^"/]+)+/(home|root)\b[^"]*"'), r'"<\1>"'),
    (re.compile(r'"(score|tokens|age|bm25)": [\d.e-]+'), r'"\1": 0'),
)


def essence(frame):
    """Return what of an answer a client relies on, without what each run makes anew."""
    result = frame.get("result", {})
    if "tools" in result:
        kept = [
            {"name": t["name"], "arguments": sorted(t["inputSchema"]["properties"])}
            for t in result["tools"]
        ]
    elif "structuredContent" in result:
        kept = result["structuredContent"]
    elif result.get("isError"):
        kept = json.loads(result["content"][0]["text"])
    else:
        kept = {k: v for k, v in result.items() if k not in {"serverInfo", "contents"}}
    return json.loads(abstract(json.dumps(kept, ensure_ascii=False)))


def abstract(text):
    """Replace ids, times, hashes and paths by their kind."""
    for pattern, kind in _KINDS:
        text = pattern.sub(kind, text)
    return text
