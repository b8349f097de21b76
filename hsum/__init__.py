"""Local evidence: index one root, search it, cite exact bytes of an exact revision.

    >>> import hsum
    >>> index = hsum.open("notes")  # doctest: +SKIP
    >>> index.ingest("~/code/trio")  # doctest: +SKIP
    <IngestReport generation 1: +412 ~0 -0, 3 skipped>
    >>> index.search("cancel scope")[0].citation  # doctest: +SKIP

Importing this package loads nothing else; each name is imported when first used.
"""

from typing import TYPE_CHECKING

from hsum._kernel.lazy import attach

if TYPE_CHECKING:
    from hsum._api import (
        Index as Index,
        catalogue as catalogue,
        check_files as check_files,
        context as context,
        grant as grant,
        in_memory as in_memory,
        initialize as initialize,
        open_index as open,
        open_bound as open_bound,
        open_managed as open_managed,
        restore as restore,
        revoke as revoke,
    )
    from hsum.errors import (
        Busy as Busy,
        Cancelled as Cancelled,
        Closed as Closed,
        Conflict as Conflict,
        Damaged as Damaged,
        HsumError as HsumError,
        InvalidInput as InvalidInput,
        NotAllowed as NotAllowed,
        NotFound as NotFound,
        StorageFull as StorageFull,
        Unreadable as Unreadable,
    )
    from hsum.model import (
        Change as Change,
        Citation as Citation,
        Context as Context,
        DoctorReport as DoctorReport,
        Document as Document,
        Evidence as Evidence,
        Generation as Generation,
        Hit as Hit,
        Hits as Hits,
        IngestReport as IngestReport,
        Options as Options,
        Place as Place,
        Problem as Problem,
        Progress as Progress,
        Project as Project,
        Ranks as Ranks,
        Searched as Searched,
        Skip as Skip,
        Status as Status,
    )

__version__ = "0.1.0"

_WHERE = {
    "Busy": "errors",
    "Cancelled": "errors",
    "Change": "model",
    "Citation": "model",
    "Closed": "errors",
    "Conflict": "errors",
    "Context": "model",
    "Damaged": "errors",
    "DoctorReport": "model",
    "Document": "model",
    "Evidence": "model",
    "Generation": "model",
    "Hit": "model",
    "Hits": "model",
    "HsumError": "errors",
    "Index": "_api",
    "IngestReport": "model",
    "InvalidInput": "errors",
    "NotAllowed": "errors",
    "NotFound": "errors",
    "Options": "model",
    "Place": "model",
    "Problem": "model",
    "Progress": "model",
    "Project": "model",
    "Ranks": "model",
    "Searched": "model",
    "Skip": "model",
    "Status": "model",
    "StorageFull": "errors",
    "Unreadable": "errors",
    "catalogue": "_api",
    "check_files": "_api",
    "context": "_api",
    "grant": "_api",
    "in_memory": "_api",
    "initialize": "_api",
    "open": "_api:open_index",
    "open_bound": "_api",
    "open_managed": "_api",
    "restore": "_api",
    "revoke": "_api",
}

__getattr__, __dir__, __all__ = attach(__name__, _WHERE)
