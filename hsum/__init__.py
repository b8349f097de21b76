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
    from hsum._api import Index as Index
    from hsum._api import catalogue as catalogue
    from hsum._api import check_files as check_files
    from hsum._api import in_memory as in_memory
    from hsum._api import open_index as open  # noqa: A004 - as gzip.open
    from hsum._api import restore as restore
    from hsum._managed import context as context
    from hsum._managed import grant as grant
    from hsum._managed import initialize as initialize
    from hsum._managed import open_bound as open_bound
    from hsum._managed import open_managed as open_managed
    from hsum._managed import revoke as revoke
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
    from hsum.index.projects import Projects as Projects
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
    from hsum.trust.bindings import Binding as Binding

__version__ = "0.1.0"

_WHERE = {
    "Binding": "trust.bindings",
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
    "Fault": "_kernel.faults",
    "Generation": "model",
    "Hit": "model",
    "Hits": "model",
    "HsumError": "errors",
    "Index": "_api",
    "IngestReport": "model",
    "Initialized": "_managed",
    "InvalidInput": "errors",
    "NotAllowed": "errors",
    "NotFound": "errors",
    "Options": "model",
    "Place": "model",
    "Problem": "model",
    "Progress": "model",
    "Project": "model",
    "Projects": "index.projects",
    "Ranks": "model",
    "Searched": "model",
    "Skip": "model",
    "Status": "model",
    "StorageFull": "errors",
    "Unreadable": "errors",
    "catalogue": "_kernel.catalogue",
    "check_files": "_api",
    "context": "_managed",
    "grant": "_managed",
    "in_memory": "_api",
    "initialize": "_managed",
    "json_text": "_kernel.escape",
    "open": "_api:open_index",
    "open_bound": "_managed",
    "open_managed": "_managed",
    "restore": "_api",
    "revoke": "_managed",
    "visible": "_kernel.escape",
    "visible_path": "_kernel.escape",
}

__getattr__, __dir__, __all__ = attach(__name__, _WHERE)
