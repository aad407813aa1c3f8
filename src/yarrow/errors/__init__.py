"""Everything that can go wrong and that a caller could act on.

    YarrowError
    ├─ InvalidInput                 the request breaks a rule; nothing was changed
    │  ├─ BodyTooLarge              it is larger than the route reads
    │  │  ├─ AudioTooLarge
    │  │  ├─ AttachmentTooLarge
    │  │  └─ TableTooLarge
    │  ├─ AudioEmpty                a recording in which there is nothing
    │  ├─ AudioUnsupported          a recording that is no WAV we read
    │  ├─ AttachmentEmpty
    │  ├─ AttachmentNotImage        its bytes are no picture we know
    │  ├─ BucketInvalid             attachments lie in one bucket
    │  ├─ PromptTooLarge            what a prompt cannot do without exceeds its budget
    │  ├─ TableUnreadable           a file that is no table we read
    │  ├─ QueryFailed               a query that is wrong, forbidden, or takes too much
    │  ├─ ProgramFailed             a program of the analyst's ended with an error
    │  ├─ ProgramRefused            a program that may not be run again
    │  ├─ RuntimeModeInvalid        a divination names no known mode
    │  ├─ ChatUnreadable            a chat file that cannot be read
    │  └─ AgentMismatch             the session belongs to another agent
    │  ├─ AgentMismatch             the session belongs to another agent
    │  └─ ChartImpossible           nothing true can be drawn from it
    │     ├─ ChartFieldsMissing     it names fields that the table does not have
    │     ├─ ChartChannelsMissing   a channel it needs is not filled
    │     ├─ ChartUndrawable        its spec gives no picture, or not in time
    │     ├─ ChartWithoutRows
    │     └─ ChartWithoutNumbers    what has to be measured is no number
    ├─ Unauthenticated              no token, or one that does not verify
    │  └─ WrongCredentials          e-mail and password do not match
    ├─ Forbidden                    the resource belongs to somebody else
    │  ├─ PathOutOfScope            the path is not in the caller's folder
    │  ├─ SignedUrlInvalid          the address has expired or was changed
    │  └─ ScratchPathDenied         the path leads out of the workspace's scratch files
    ├─ NotFound
    │  ├─ SessionNotFound
    │  ├─ RunNotFound
    │  ├─ AgentNotFound
    │  ├─ AccountNotFound
    │  ├─ BranchNotFound
    │  ├─ SourceFloorNotFound      a prompt cannot start from there
    │  ├─ TurnNotFound
    │  ├─ MessageNotFound
    │  ├─ VariableNotFound
    │  ├─ AttachmentNotFound
    │  ├─ SignedUrlImpossible       there is no attachment to make an address for
    │  ├─ AssetNotFound             nor another account's
    │  └─ EntryNotFound             the preset or worldbook has no such entry
    │  ├─ TableNotFound
    │  ├─ ScratchNotFound
    │  └─ SignedUrlImpossible       there is no attachment to make an address for
    ├─ Conflict
    │  ├─ EmailTaken
    │  ├─ AuthDisabled              there are no accounts to sign up for here
    │  ├─ PointsHeld                the points to take are held for running runs
    │  ├─ TicketUsed                the ticket moved another number of points
    │  ├─ RunConflict               the run id was used with another body
    │  ├─ SessionBusy               a run of this session is still going
    │  ├─ SessionArchived           the session is kept for reading only
    │  ├─ BranchExists
    │  ├─ WrongState                not of this thing as it is now
    │  ├─ VariablesFull             the scope holds as many as it may
    │  ├─ RunLimitReached           the session has had all its runs
    │  ├─ VersionConflict           the asset has moved on since it was read
    │  └─ EntryTaken                the preset or worldbook has such an entry
    │  ├─ ScratchFull               the workspace has all the scratch files it may have
    │  └─ RunLimitReached           the session has had all its runs
    ├─ PointsShort                  the account cannot cover the price
    ├─ ModelError                   a model did not answer as it should
    │  ├─ ModelMissing              none is configured
    │  ├─ ModelUnreachable
    │  │  └─ ModelFailed            the endpoint is there, and failed
    │  ├─ ModelTimeout
    │  ├─ ModelRateLimited
    │  ├─ ModelRefused              the endpoint rejected the request
    │  │  ├─ ModelDenied            it does not take our key
    │  │  ├─ ModelForbidden         it takes the key, and does not let it do this
    │  │  ├─ ModelUnknown           it has no such model
    │  │  ├─ PromptTooLong          the model cannot read that much
    │  │  └─ AnswerFiltered         a content filter stopped it
    │  ├─ ModelBroken               the answer cannot be read
    │  ├─ AnswerUnusable            it can, but an agent can do nothing with it
    │  └─ AnswerEmpty               there is none
    ├─ RecogniserError              speech cannot be turned into text now
    │  ├─ RecogniserMissing         none is configured, or it is not installed
    │  ├─ RecogniserFailed          no connection, or no usable answer
    │  ├─ RecogniserTimeout
    │  ├─ RecogniserBusy            others come first; ask again
    │  └─ RecogniserRefused         it rejected the recording
    ├─ SandboxError                 foreign code or files cannot be worked on now
    │  ├─ SandboxFailed             the process that does it broke
    │  ├─ SandboxBusy               others come first; ask again
    │  └─ PythonUnavailable         the machine cannot lock Python up
    ├─ RunFenced                    another worker owns this run now
    ├─ RunWasCancelled              the account's wish came before the answer was kept
    ├─ DatabaseUnavailable
    ├─ StorageUnavailable           the store of attachments cannot be reached
    │  └─ DiskFull                  nothing more can be written here
    ├─ KeysUnavailable              the outside issuer's keys cannot be fetched
    └─ Misconfigured                the operator has to change a setting

An error carries facts as attributes. Statuses and codes belong to the protocols: each
`protocols/*/errors.py` maps every class it can meet.
"""

from yarrow.errors.asked import (
    AccountNotFound,
    AgentMismatch,
    AgentNotFound,
    AttachmentEmpty,
    AttachmentNotFound,
    AttachmentNotImage,
    AttachmentTooLarge,
    AudioEmpty,
    AudioTooLarge,
    AudioUnsupported,
    AuthDisabled,
    BodyTooLarge,
    BucketInvalid,
    Conflict,
    EmailTaken,
    Forbidden,
    InvalidInput,
    NotFound,
    PathOutOfScope,
    PointsHeld,
    PointsShort,
    RunConflict,
    RunLimitReached,
    RunNotFound,
    RuntimeModeInvalid,
    SessionBusy,
    SessionNotFound,
    SignedUrlImpossible,
    SignedUrlInvalid,
    TicketUsed,
    Unauthenticated,
    WrongCredentials,
)
from yarrow.errors.outside import (
    AnswerEmpty,
    AnswerFiltered,
    AnswerUnusable,
    DatabaseUnavailable,
    DiskFull,
    KeysUnavailable,
    Misconfigured,
    ModelBroken,
    ModelDenied,
    ModelError,
    ModelFailed,
    ModelForbidden,
    ModelMissing,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
    PromptTooLong,
    PythonUnavailable,
    RecogniserBusy,
    RecogniserError,
    RecogniserFailed,
    RecogniserMissing,
    RecogniserRefused,
    RecogniserTimeout,
    RunFenced,
    RunWasCancelled,
    SandboxBusy,
    SandboxError,
    SandboxFailed,
    StorageUnavailable,
)
from yarrow.errors.root import (
    YarrowError,
)
from yarrow.errors.stories import (
    AssetNotFound,
    BranchExists,
    BranchNotFound,
    ChatUnreadable,
    EntryNotFound,
    EntryTaken,
    MessageNotFound,
    PromptTooLarge,
    SessionArchived,
    SourceFloorNotFound,
    TurnNotFound,
    VariableNotFound,
    VariablesFull,
    VersionConflict,
    WrongState,
)
from yarrow.errors.tables import (
    ChartChannelsMissing,
    ChartFieldsMissing,
    ChartImpossible,
    ChartUndrawable,
    ChartWithoutNumbers,
    ChartWithoutRows,
    ProgramFailed,
    ProgramRefused,
    QueryFailed,
    ScratchFull,
    ScratchNotFound,
    ScratchPathDenied,
    TableNotFound,
    TableTooLarge,
    TableUnreadable,
)

__all__ = [
    "AccountNotFound",
    "AgentMismatch",
    "AgentNotFound",
    "AnswerEmpty",
    "AnswerFiltered",
    "AnswerUnusable",
    "AssetNotFound",
    "AttachmentEmpty",
    "AttachmentNotFound",
    "AttachmentNotImage",
    "AttachmentTooLarge",
    "AudioEmpty",
    "AudioTooLarge",
    "AudioUnsupported",
    "AuthDisabled",
    "BodyTooLarge",
    "BranchExists",
    "BranchNotFound",
    "BucketInvalid",
    "ChartChannelsMissing",
    "ChartFieldsMissing",
    "ChartImpossible",
    "ChartUndrawable",
    "ChartWithoutNumbers",
    "ChartWithoutRows",
    "ChatUnreadable",
    "Conflict",
    "DatabaseUnavailable",
    "DiskFull",
    "EmailTaken",
    "EntryNotFound",
    "EntryTaken",
    "Forbidden",
    "InvalidInput",
    "KeysUnavailable",
    "MessageNotFound",
    "Misconfigured",
    "ModelBroken",
    "ModelDenied",
    "ModelError",
    "ModelFailed",
    "ModelForbidden",
    "ModelMissing",
    "ModelRateLimited",
    "ModelRefused",
    "ModelTimeout",
    "ModelUnknown",
    "ModelUnreachable",
    "NotFound",
    "PathOutOfScope",
    "PointsHeld",
    "PointsShort",
    "ProgramFailed",
    "ProgramRefused",
    "PromptTooLarge",
    "PromptTooLong",
    "PythonUnavailable",
    "QueryFailed",
    "RecogniserBusy",
    "RecogniserError",
    "RecogniserFailed",
    "RecogniserMissing",
    "RecogniserRefused",
    "RecogniserTimeout",
    "RunConflict",
    "RunFenced",
    "RunLimitReached",
    "RunNotFound",
    "RunWasCancelled",
    "RuntimeModeInvalid",
    "SandboxBusy",
    "SandboxError",
    "SandboxFailed",
    "ScratchFull",
    "ScratchNotFound",
    "ScratchPathDenied",
    "SessionArchived",
    "SessionBusy",
    "SessionNotFound",
    "SignedUrlImpossible",
    "SignedUrlInvalid",
    "SourceFloorNotFound",
    "StorageUnavailable",
    "TableNotFound",
    "TableTooLarge",
    "TableUnreadable",
    "TicketUsed",
    "TurnNotFound",
    "Unauthenticated",
    "VariableNotFound",
    "VariablesFull",
    "VersionConflict",
    "WrongCredentials",
    "WrongState",
    "YarrowError",
]
