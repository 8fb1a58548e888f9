-- The store of lcm_lab, schema 1: conversations, their messages, what was made of them, and indexes.
--
-- PRAGMA application_id is 0x6c636d53 and PRAGMA user_version the schema. A store of a newer schema
-- is refused, never guessed at; an older one is brought up to date in one transaction when it is
-- opened for writing. Full-text tables and their views are made by fulltext.py, one set for each
-- tokenizer that the store was created with. Times are microseconds since 1970, UTC.

create table meta (
    name  text primary key,
    value any
) strict, without rowid;

create table conversations (
    number    integer primary key,
    name      text not null unique,             -- what a corpus calls conversation
    key       text not null default '',         -- the family; '' is a family of its own
    archived  text not null default '',         -- why; '' while it is the active one
    title     text not null default '',
    cwd       text not null default '',
    branch    text not null default '',
    agent     text not null default '',
    parent    text not null default '',
    dirty     integer not null default 0,       -- a rewind; which branch is active is to be found out
    compacted integer not null default 0        -- its frontier is written down; else it is the branch
) strict;
create index conversations_key on conversations (key) where key <> '';
create index conversations_dirty on conversations (number) where dirty;

create table sessions (
    number       integer primary key,
    conversation integer not null references conversations on delete cascade,
    name         text not null,
    unique (conversation, name)
) strict;

create table messages (
    number       integer primary key,
    conversation integer not null references conversations on delete cascade,
    seq          integer not null,              -- 0, 1, 2 ... in a conversation, no gaps
    id           text not null unique,
    session      integer not null references sessions,
    role         text not null,
    speaker      text not null,
    time         integer,
    stamp        text not null,                 -- the time as written, with its offset
    parent       text not null,                 -- the id that it follows, as written
    segment      integer not null,
    active       integer not null,
    told         integer not null,              -- whether it was active as it came in
    sidechain    integer not null,
    plain        integer not null,              -- its one part is its one doc; no row in parts
    tokens       integer not null,
    identity     blob not null,                 -- digest of session, role, time and parts
    place        integer not null,              -- newest time so far: what seq follows
    source       text not null,
    line         integer not null,
    imported     integer,                       -- when it came in, where that was told
    extra        text,                          -- other columns of the corpus it came in, as JSON
    unique (conversation, seq)
) strict;
create index messages_identity on messages (identity);
create index messages_session on messages (session);
create index messages_extra on messages (number) where extra is not null;

create table parts (
    message integer not null references messages on delete cascade,
    ordinal integer not null,
    kind    text not null,
    name    text not null,
    call    text not null,
    error   integer not null,
    file    text,                               -- where its text went if it was too long
    raw     text not null,
    text    text,                               -- null where it is the text of the doc of its kind
    primary key (message, ordinal)
) strict, without rowid;

-- What a corpus holds and the indexes index: a row for a message and a kind.
create table docs (
    number  integer primary key,
    message integer not null references messages on delete cascade,
    kind    text not null,
    tokens  integer not null,
    indexed integer not null,                   -- on the active branch, and of a kind that is searched
    docno   text,                               -- these three where they do not follow from the message
    role    text,
    scope   text,
    narrow  text,                               -- for trigrams: compatibility forms folded
    folded  text,                               -- for words: also unspaced scripts set apart
    text    text not null,                      -- both null where they are as the text
    unique (message, kind)
) strict;
create index docs_folded on docs (number) where folded is not null;
create index docs_given on docs (number) where docno is not null or role is not null or scope is not null;

create table summaries (
    number       integer primary key,
    conversation integer not null references conversations on delete cascade,
    id           text not null,
    depth        integer not null,
    tokens       integer not null,
    first        integer,
    last         integer,
    level        text not null,
    model        text not null,
    files        text not null,                 -- ids, as a JSON list
    created      integer,
    active       integer not null,              -- all that it covers is on the active branch
    narrow       text,
    folded       text,
    text         text not null,
    unique (conversation, id)
) strict;
create index summaries_id on summaries (id);

create table edges (
    summary integer not null references summaries on delete cascade,
    ordinal integer not null,
    message integer references messages,
    source  integer references summaries,
    primary key (summary, ordinal),
    check ((message is null) <> (source is null))
) strict, without rowid;
create index edges_message on edges (message) where message is not null;
create index edges_source on edges (source) where source is not null;

create table frontier (
    conversation integer not null references conversations on delete cascade,
    ordinal      integer not null,
    message      integer references messages,
    summary      integer references summaries,
    primary key (conversation, ordinal),
    check ((message is null) <> (summary is null))
) strict, without rowid;
create index frontier_message on frontier (message) where message is not null;
create index frontier_summary on frontier (summary) where summary is not null;

create table files (
    id           text not null,
    conversation integer not null references conversations on delete cascade,
    name         text not null,
    mime         text not null,
    bytes        integer not null,
    lines        integer not null,
    path         text not null,                 -- under the store's folder of files
    digest       text not null,                 -- of the content
    explored     text not null,                 -- what a reader is told of it
    content      blob not null,                 -- compressed, should the copy on disk be gone
    primary key (conversation, id)
) strict;
create index files_id on files (id);

-- Files that were imported, so that an unchanged one is not read again.
create table sources (
    digest   text primary key,                  -- of its path
    folder   text not null,                     -- digest of the folder that its session is of
    name     text not null,
    size     integer not null,
    mtime    integer not null,                  -- nanoseconds
    format   text not null,                     -- '' where it could not be read
    session  text not null,                     -- of what names none
    sessions text not null,                     -- all that it holds, as a JSON list
    archived text not null,                     -- why it is no longer the file of its session
    skipped  text not null,                     -- reasons and counts, as JSON
    imported integer
) strict, without rowid;
