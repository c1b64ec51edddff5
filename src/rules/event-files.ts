/** The bounds of event files. */
export const EVENT_FILE_LIMITS = {
  /** The text of one file's rows, before DuckDB makes columns of it, is at most this part of its memory. */
  textMemoryShare: 1 / 16,
  /** The same text in bytes, whatever memory DuckDB has, so that a file is written in minutes, and also written again in minutes. */
  textBytesMax: 64 * 1_048_576,
  /**
   * A transaction that copies rows of a week ends after this time, and the next one begins behind its last event. A file that is written
   * again has as much time for all its rests.
   */
  partMsMax: 300_000,
  /**
   * While events come in, the copy of an event takes this time at most, its rests included: 500 events a second, if the machine can do so many.
   * The time of DuckDB's writing is not counted.
   */
  eventMsMax: 2,
  /**
   * The same for all events of the weeks of a round takes this part of a week at most, so that weeks are frozen faster than new ones end. The
   * other part is for DuckDB's writing and for files that are written again.
   */
  weekShareMax: 0.5,
  /** Attributes that have columns of their own, those with the most values first. All others are in `attributes`. */
  attributesMax: 200,
  /** The time of all statements of DuckDB for one file. The transaction that copies rows may be open meanwhile, and vacuum waits for it. */
  fileMsMax: 600_000,
  /** A week is frozen this long after its end, so that hardly an event comes late. */
  closedAfterMs: 86_400_000,
  /** How often the worker looks for weeks to freeze. */
  roundEveryMs: 600_000,
  roundWeeksMax: 200,
  roundFilesMax: 200,
  /** A round begins no further work after this time, so that the next one can look for more urgent work. */
  roundMsMax: 3_600_000,
  /** The wait of a week or file that could not be written. It doubles with each failure, up to the greatest. */
  retryMsMin: 600_000,
  retryMsMax: 6 * 3_600_000,
  /**
   * The wait for the lock of a week whose changes are to be noted. Writers of the week wait behind it. It is more than PostgreSQL's
   * `deadlock_timeout`, one second: only after that does a wait end an autovacuum that is in the way.
   */
  watchLockMsMax: 1_500,
  /** A file is written again so long after one of its events was deleted. */
  goneForMs: 3_600_000,
  /** A file is written again before all others, and without rests, so long after one of its events was deleted: within a day it is gone. */
  goneUrgentMs: 12 * 3_600_000,
  /** A file is written again so long after one of its events changed, or at once if this share of its events has changed. */
  changedForMs: 7 * 86_400_000,
  changedShare: 0.05,
  /** A file with more changed events than this is not read, but its rows. */
  changesReadMax: 2_000,
  /** The same for all files of a question: beyond it, the rows of those with the most changes are read (decision 0045). */
  allChangesReadMax: 100_000,
  /**
   * The time of a question to files, all its statements together, and the rows of its answer. Then the rows of PostgreSQL are asked, in
   * what is left of its time. If some of the files have the only copy of their events, files get all the time of the question.
   */
  questionMsMax: 15_000,
  answerRowsMax: 500_000,
  /** The time to fetch the files of a question from an object store. Then rows are asked; fetched files stay for the next question. */
  fetchMsMax: 15_000,
  /** Files that are being made for longer than this belong to a process that was killed. */
  scratchMsMax: 86_400_000,
  /** How often copies of objects that are listed no more are looked for. */
  cacheSweepMs: 600_000,
  /** The rows that are in no file and that a question copies for DuckDB, and those of all questions of a process. */
  copiedBytesMax: 256 * 1_048_576,
  allCopiedBytesMax: 1_024 * 1_048_576,
  /** Events without rows that one statement brings from files, the time for it, and the events of one page, with and without their attributes. */
  thawedMax: 2_000_000,
  thawMsMax: 30_000,
  thawPage: 10_000,
  thawPageBare: 100_000,
  /** The wait of work of Beckon's own that needs too many of them: as long as it has waited so far, within these bounds. */
  oldEventsWaitMsMin: 600_000,
  oldEventsWaitMsMax: 6 * 3_600_000,
  /** A file with more events than this that it would not give back as they were keeps its rows. */
  oddRowsMax: 1_000,
  /** A file with the only copy of its events is removed so long after another has replaced it. */
  replacedForMs: 3_600_000,
  /** The wait for the locks under which rows are dropped. Writers of the week, and readers of dropped events, wait behind it. It is more than a second for the same reason. */
  dropLockMsMax: 2_000,
  /** The wait for the next try to drop the rows of such a file. */
  oddRetryMs: 30 * 86_400_000,
} as const

/**
 * The bounds of `doctor`: files beside their rows whose content it compares, the newest of them; its time for comparing, and for all that
 * it does with files.
 */
export const EVENT_FILE_LOOKS = { comparedMax: 200, comparingMsMax: 300_000, msMax: 600_000 } as const

/** Work of Beckon's own that needs more dropped events than can be brought says so with this reason. It is the code of the refusal of a call. */
export const OLD_EVENTS_REASON = 'too_many_old_events'
export const OLD_EVENTS_ADVICE =
  'Let the segment look back fewer days, or ask the operator to keep rows for more days (BECKON_EVENT_ROWS_DAYS).'

/** Names in the folder of event files begin so: lines on their way to a file. */
export const EVENT_FILE_NAMES = { scratch: 'scratch-' } as const

/** The folder, in the data folder, of the rows that questions copy for DuckDB. */
export const QUESTIONS_FOLDER = 'questions'

/** The form of the files, which their metadata names. A change that older readers do not understand counts it up. */
export const EVENT_FILE_VERSION = 1

/** The columns that every file has. Those of attributes follow (`domain/events/file-columns.ts`). */
export const EVENT_FILE_COLUMNS = {
  id: { type: 'BIGINT', meaning: 'the event; `id >> 21` is the time of receipt in milliseconds since 1970' },
  profile_id: { type: 'BIGINT', meaning: 'the person; `people.parquet` has the `userID` of each' },
  event_at: { type: 'TIMESTAMP', meaning: 'the time of the event, in UTC' },
  event_name: { type: 'VARCHAR', meaning: 'the name of the event' },
  ltv: { type: 'DECIMAL', meaning: 'the value of the event, exact' },
  is_before_creation: { type: 'BOOLEAN', meaning: 'the event counts as before the profile existed' },
  is_from_browser: { type: 'BOOLEAN', meaning: 'a browser sent it with a publishable key' },
  event_id: { type: 'VARCHAR', meaning: 'the caller’s own id, if there is one' },
  source_profile_id: { type: 'BIGINT', meaning: 'the profile that had the event before a merge' },
  context: { type: 'VARCHAR', meaning: 'the context, in JSON' },
  mistyped: { type: 'VARCHAR', meaning: 'values that did not fit their locked type, in JSON' },
  attributes: {
    type: 'VARCHAR',
    meaning: 'all attributes in JSON, if one of them has no column; else null, and the columns have them all',
  },
} as const

/** The kinds of columns of attributes, by the JSON of the value. */
export const FILE_COLUMN_KINDS = {
  string: { type: 'VARCHAR', holds: 'Strings and Dates, as they were sent' },
  number: { type: 'DECIMAL', holds: 'Numbers with up to 15 digits, or whole ones with up to 18; exact' },
  boolean: { type: 'BOOLEAN', holds: 'Booleans' },
  json: { type: 'VARCHAR', holds: 'Objects and Arrays of Objects, in JSON' },
} as const

export type FileColumnKind = keyof typeof FILE_COLUMN_KINDS
