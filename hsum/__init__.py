"""Local evidence: index one root, search it, cite exact bytes of an exact revision.

    >>> import hsum
    >>> index = hsum.open("notes")
    >>> index.ingest("~/code/trio")
    <IngestReport generation 1: +...>
    >>> index.search("cancel scope")[0].citation
    <Citation hsum://v1/...>

Importing this package loads nothing else; each name is imported when first used.
"""

from hsum._kernel.lazy import attach

# `typing` would be most of the time that importing this package takes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from hsum._api import Index as Index
    from hsum._api import in_memory as in_memory
    from hsum._api import open_index
    from hsum._api import restore as restore
    from hsum._checked import check_files as check_files
    from hsum._context import context as context
    from hsum._grants import grant as grant
    from hsum._grants import revoke as revoke
    from hsum._kernel.cancellation import cancellable as cancellable
    from hsum._kernel.catalogue import catalogue as catalogue
    from hsum._kernel.escape import json_text as json_text
    from hsum._kernel.escape import visible as visible
    from hsum._kernel.escape import visible_path as visible_path
    from hsum._kernel.faults import Fault as Fault
    from hsum._managed import Initialized as Initialized
    from hsum._managed import initialize as initialize
    from hsum._managed import open_bound as open_bound
    from hsum._managed import open_managed as open_managed
    from hsum.check.sarif import sarif as sarif
    from hsum.errors import Busy as Busy
    from hsum.errors import Cancelled as Cancelled
    from hsum.errors import Closed as Closed
    from hsum.errors import Conflict as Conflict
    from hsum.errors import Damaged as Damaged
    from hsum.errors import HsumError as HsumError
    from hsum.errors import InvalidInput as InvalidInput
    from hsum.errors import NotAllowed as NotAllowed
    from hsum.errors import NotFound as NotFound
    from hsum.errors import StorageFull as StorageFull
    from hsum.errors import Unreadable as Unreadable
    from hsum.index.projects import Projects as Projects
    from hsum.model import Change as Change
    from hsum.model import Citation as Citation
    from hsum.model import Context as Context
    from hsum.model import DoctorReport as DoctorReport
    from hsum.model import Document as Document
    from hsum.model import Evidence as Evidence
    from hsum.model import Generation as Generation
    from hsum.model import Hit as Hit
    from hsum.model import Hits as Hits
    from hsum.model import IngestReport as IngestReport
    from hsum.model import Options as Options
    from hsum.model import Place as Place
    from hsum.model import Problem as Problem
    from hsum.model import Progress as Progress
    from hsum.model import Project as Project
    from hsum.model import Ranks as Ranks
    from hsum.model import Searched as Searched
    from hsum.model import Skip as Skip
    from hsum.model import Status as Status
    from hsum.model.care import BackupReport as BackupReport
    from hsum.model.care import ForgetReport as ForgetReport
    from hsum.model.care import PruneReport as PruneReport
    from hsum.model.check import CheckReport as CheckReport
    from hsum.model.check import Finding as Finding
    from hsum.model.check import Found as Found
    from hsum.trust.bindings import Binding as Binding

    # An alias in an import is no export for type checkers.
    open = open_index  # noqa: A001 - as gzip.open

__version__ = "0.1.0"

_WHERE = {
    "BackupReport": "model.care",
    "ForgetReport": "model.care",
    "PruneReport": "model.care",
    "Binding": "trust.bindings",
    "Busy": "errors",
    "Cancelled": "errors",
    "Change": "model",
    "CheckReport": "model.check",
    "Citation": "model",
    "Closed": "errors",
    "Conflict": "errors",
    "Context": "model",
    "Damaged": "errors",
    "DoctorReport": "model",
    "Document": "model",
    "Evidence": "model",
    "Finding": "model.check",
    "Found": "model.check",
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
    "cancellable": "_kernel.cancellation",
    "catalogue": "_kernel.catalogue",
    "check_files": "_checked",
    "context": "_context",
    "grant": "_grants",
    "in_memory": "_api",
    "initialize": "_managed",
    "json_text": "_kernel.escape",
    "open": "_api:open_index",
    "open_bound": "_managed",
    "open_managed": "_managed",
    "restore": "_api",
    "revoke": "_grants",
    "sarif": "check.sarif",
    "visible": "_kernel.escape",
    "visible_path": "_kernel.escape",
}

__getattr__, __dir__, __all__ = attach(__name__, _WHERE)
