"""Every code: its exit status, cause and fix. The one source of what errors say."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ENTRIES", "Entry", "catalogue", "entry_of"]


class Entry(NamedTuple):
    """One code of the catalogue."""

    code: str
    exit_status: int
    retryable: bool
    cause: str
    fix: str


_ROWS = (
    # --- shared ---------------------------------------------------------------
    ("INVALID_ARGUMENT", 2, False, "An argument has the wrong type, form or range.",
     "Correct the argument that the message names."),
    ("TEXT_INVALID", 2, False, "Text has a lone surrogate, which UTF-8 cannot carry.",
     "Replace the surrogate at the named place, or decode the text again from its bytes."),
    ("TOO_LARGE", 2, False, "A value or a call is larger than the documented limit.",
     "Send less in one call, or keep the body in a file and record its citation."),
    ("CLOSED", 1, False, "The handle was closed before this call.",
     "Open it again."),
    ("WRITER_BUSY", 4, True, "Another process is writing and did not finish in time.",
     "Try again, or give a longer time-out; the details name the holder's pid."),
    ("STALE_CURSOR", 1, False, "What the cursor pages through has changed since.",
     "Start again from the first page, without a cursor."),
    ("INTEGRITY_FAILED", 5, False, "Stored bytes do not match their recorded hash.",
     "Run doctor to see the extent, and restore from a backup."),
    ("STORE_DAMAGED", 5, False, "The database file is damaged, or is not one of ours.",
     "Restore it from a backup; doctor names what is wrong."),
    ("SCHEMA_TOO_NEW", 5, False, "A newer version of this library wrote the file.",
     "Upgrade hsum-hythe, or open a copy made by the older version."),
    ("DISK_FULL", 7, True, "The disk is full; nothing was changed.",
     "Free some space and run the same command again."),
    ("QUOTA_EXCEEDED", 7, True, "The user's disk quota is used up; nothing was changed.",
     "Free some space and run the same command again."),
    ("PERMISSION_DENIED", 7, False, "A file or directory may not be read or written.",
     "Change its owner or mode as the message says."),
    ("UNSUPPORTED_STORAGE", 7, False,
     "The file system cannot keep a database safe (a network file system, most often).",
     "Put it on a local disk: set HSUM_HOME, or give another path."),
    ("CANCELLED", 130, True, "The call was cancelled; nothing was changed.",
     "Run it again when you like."),
    # --- hsum -----------------------------------------------------------------
    ("QUERY_EMPTY", 2, False, "The query is empty or blank.",
     "Give at least one word, identifier or quoted phrase."),
    ("QUERY_TOO_LONG", 2, False, "The query is longer than 4,096 bytes of UTF-8.",
     "Keep the words that matter."),
    ("QUERY_NUL", 2, False, "The query has a NUL character.",
     "Remove the character at the named column."),
    ("QUERY_UNCLOSED_QUOTE", 2, False, "A double quote is opened and never closed.",
     "Close the quote, or remove it, at the named column."),
    ("QUERY_EMPTY_QUOTE", 2, False, "A quoted phrase has nothing in it.",
     "Put text between the quotes at the named column, or remove them."),
    ("QUERY_INVALID_TEXT", 2, False, "The query has a lone surrogate.",
     "Remove the character at the named column."),
    ("CITATION_MALFORMED", 2, False, "This is not a canonical hsum:// citation.",
     "Copy the citation whole, as search or get printed it."),
    ("EVIDENCE_NOT_FOUND", 1, False, "No evidence has this citation here.",
     "Check the index (hsum context) and the citation; search again if need be."),
    ("EVIDENCE_PRUNED", 1, False, "The cited revision was pruned to save space.",
     "Search again for a living revision."),
    ("EVIDENCE_FORGOTTEN", 1, False, "The cited bytes were removed for good.",
     "Nothing brings them back; cite another source."),
    ("NOT_TRUSTED", 2, False, "No valid binding of this user covers the index.",
     "Run `hsum trust PATH --confirm` and start again with the binding it prints."),
    ("INDEX_NOT_FOUND", 1, False, "There is no such index.",
     "Run `hsum init PATH` to make one; `hsum context` shows what is selected."),
    ("PROJECT_UNKNOWN", 1, False, "The index has no project of this name.",
     "`hsum project list` shows the names; `hsum project add NAME` makes one."),
    ("PROJECT_EXISTS", 1, False, "The index already has a project of this name.",
     "Choose another name, or remove the project first."),
    ("ROOT_MISMATCH", 1, False, "The index belongs to another root.",
     "Ingest the recorded root, or run `hsum trust NEW --confirm --index NAME` to move the index."),
    ("ROOT_MISSING", 1, False, "The root of the index is not there.",
     "Bring the directory back, or move the index with `hsum trust NEW --confirm --index NAME`; stored evidence still answers."),
    ("NO_GENERATION", 1, False, "Nothing has been ingested yet.",
     "Run `hsum ingest`."),
    ("CONFIRMATION_REQUIRED", 2, False, "This needs an explicit confirmation.",
     "Read what would happen, then give the confirmation the message names."),
    ("LEXICAL_UNAVAILABLE", 5, True, "The lexical index is missing or damaged.",
     "Run `hsum doctor --repair`; it is rebuilt from the database, and nothing is lost."),
    ("FILE_FAILED", 6, True, "The generation was committed, but some files could not be read.",
     "`hsum status` names them; what was indexed before keeps its last good revision."),
    # --- hythe ----------------------------------------------------------------
    ("CONFLICT", 1, True, "The scope has moved on since the parent or heads that were named.",
     "Read the named pointer, apply the change to it, and call again."),
    ("SCOPE_UNKNOWN", 1, False, "No scope has exactly this project and task.",
     "Check the spelling against the near names, or write the first checkpoint with parent=None."),
    ("SCOPE_INVALID", 2, False, "A scope needs a project, a task, or both.",
     "Name a project, a task, or both."),
    ("SCOPE_EMPTY", 1, False, "The scope has no checkpoint yet.",
     "Write the first one: checkpoint with a full state and no parent."),
    ("PARENT_AMBIGUOUS", 2, False, "The content hash names more than one checkpoint.",
     "Name the parent by its id or revision."),
    ("PARENT_RETIRED", 2, False, "The parent lies on a lineage that was retired.",
     "Build on the pointer instead, or pass acknowledge_retired to branch on purpose."),
    ("KEY_REUSED", 2, False, "The idempotency key was used for another request.",
     "Use a new key for a new request."),
    ("DUPLICATE_ID", 2, False, "One call changes the same id twice.",
     "State each id once, with its final value."),
    ("FACT_UNKNOWN", 1, False, "The fact id has no version on the parent's lineage.",
     "Leave the id out to record a new fact, or name one that resume shows."),
    ("LOOP_UNKNOWN", 1, False, "The loop id has no version on the parent's lineage.",
     "Leave the id out to open a new loop, or name one that resume shows."),
    ("PATCH_INVALID", 2, False, "The patch does not give a whole valid state.",
     "Correct the named path; null deletes a key, and every key of a state is required."),
    ("RECONCILE_UNRESOLVED", 1, False, "Owed values have no resolution.",
     "Accept or reject each value in the list (plan_reconcile gives the request)."),
    ("ENTITY_EXISTS", 1, False, "An entity of this name exists.",
     "Use it as it is; observations record what is new about it."),
    ("ALIAS_TAKEN", 1, False, "The alias names another entity.",
     "Choose another alias."),
    ("NOT_FOUND", 1, False, "Nothing here has this name or id.",
     "Check the id, and whose it is."),
    ("BUDGET_TOO_SMALL", 2, False, "The budget cannot hold even the envelope.",
     "Give at least the minimum that the details name."),
    ("IDENTITY_MISMATCH", 2, False, "The claimed agent is not the credential's.",
     "Leave the claim out, or use that agent's own credential."),
    ("CREDENTIAL_INVALID", 7, False, "The credential is wrong, expired, revoked or not yet valid.",
     "Ask an admin to issue or rotate it."),
    ("CREDENTIAL_REQUIRED", 7, False, "This agent must bring a credential.",
     "Pass the credential that was issued to it."),
    ("SCOPE_DENIED", 7, False, "The credential does not carry the scope this call needs.",
     "Ask an admin for a credential with the named scope."),
    ("IMPORT_CONFLICT", 1, False, "The file and the store disagree on a history.",
     "Import into another store, or reconcile there first; nothing was changed."),
    ("PRUNED", 1, False, "The payload was pruned; its row and hash remain.",
     "Read it from a backup."),
)  # fmt: skip

ENTRIES: dict[str, Entry] = {row[0]: Entry(*row) for row in _ROWS}


def entry_of(code: str) -> Entry:
    """Return the entry of a code; an unknown code is a mistake in our own code."""
    return ENTRIES[code]


def catalogue() -> dict[str, Entry]:
    """Return every code with its exit status, its cause and its fix."""
    return dict(ENTRIES)
