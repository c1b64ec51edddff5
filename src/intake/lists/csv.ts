import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { type Fault, fault } from '../../domain/fault.ts'
import { accept, RejectionError, reject } from '../../domain/result.ts'
import { IMPORT_LIMITS } from '../../rules/limits.ts'
import type { ListRow } from './import.ts'

export type CsvRecord = Readonly<Record<string, string>>

/**
 * A list in CSV whose first line names the columns, separated by commas, semicolons or tabs. `bodyOf` makes a body of
 * each record. A record that does not fit the columns is refused alone; one that is too long makes the rest of the list
 * unreadable.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  bodyOf: (record: CsvRecord) => object,
): AsyncGenerator<ListRow> {
  const refused: ListRow[] = []
  const { delimiter, all } = await findDelimiter(bytes)
  const records = openParser(all, delimiter, (row) => refused.push(row))
  try {
    for await (const item of records) {
      yield* refused.splice(0)
      const { info, record } = itemOf(item)
      yield { line: info.lines, body: isUtf8(record) ? accept(bodyOf(record)) : reject(NOT_UTF8) }
    }
    yield* refused
  } catch (cause) {
    // The parser can say no only by throwing, and it is the caller's mistake.
    throw cause instanceof CsvError ? new RejectionError({ faults: [malformed(cause)] }) : cause
  }
}

/** The parser puts this mark for bytes it cannot read. Two people who differ only there would become one. */
function isUtf8(record: CsvRecord): boolean {
  return !Object.values(record).some((text) => text.includes('\uFFFD'))
}

const NOT_UTF8 = fault('malformed_csv', null, { detail: 'it is not UTF-8' })

/** Spreadsheets of many countries separate by semicolons: the first line tells. */
async function findDelimiter(bytes: AsyncIterable<Uint8Array>) {
  const rest = bytes[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (!head.includes(NEWLINE) && head.length < IMPORT_LIMITS.rowBytesMax) {
    const next = await rest.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  const [names = ''] = Buffer.from(head).toString('utf8').split('\n', 1)
  const counts = DELIMITERS.map((sign) => names.replaceAll(/"[^"]*"/g, '').split(sign).length)
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
  return { delimiter, all: joined(head, { [Symbol.asyncIterator]: () => rest }) }
}

const NEWLINE = 0x0a
/** The comma comes first, so it also counts for a list of one column. */
const DELIMITERS = [',', ';', '\t'] as const

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head
  yield* rest
}

function openParser(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  refuse: (row: ListRow) => void,
): AsyncIterable<unknown> {
  let refusedLine = 0
  const parser = parse({
    bom: true,
    delimiter,
    columns: (names: readonly string[]) => names.map((name) => name.trim().toLowerCase()),
    info: true,
    skip_empty_lines: true,
    max_record_size: IMPORT_LIMITS.rowBytesMax,
    skip_records_with_error: true,
    on_skip: (cause) => {
      if (cause === undefined) return
      // After a record that outgrew its bound the parser no longer knows where the next one begins.
      if (cause.code === 'CSV_MAX_RECORD_SIZE') {
        parser.destroy(cause)
        return
      }
      const line = lineOf(cause)
      // The parser reports the rest of a line that it gave up as a second mistake; the row is refused once.
      if (line !== refusedLine) refuse({ line, body: reject(malformed(cause)) })
      refusedLine = line
    },
  })
  const source = Readable.from(bytes)
  // A plain pipe does not carry a failure on.
  source.once('error', (cause) => parser.destroy(cause))
  return source.pipe(parser)
}

type CsvItem = { readonly info: { readonly lines: number }; readonly record: CsvRecord }

function itemOf(item: unknown): CsvItem {
  if (isItem(item)) return item
  throw new Error('the CSV parser gave something that is no record')
}

function isItem(item: unknown): item is CsvItem {
  return typeof item === 'object' && item !== null && 'info' in item && 'record' in item
}

/** The parser's message is a name, a colon and a sentence; only the sentence is shown. */
function malformed(cause: CsvError): Fault {
  if (cause.code !== 'CSV_MAX_RECORD_SIZE') {
    return fault('malformed_csv', null, { detail: cause.message.replace(/^[^:]*: /, '').replace(/\.$/, '') })
  }
  const max = IMPORT_LIMITS.rowBytesMax
  const detail = `a record is longer than ${max} bytes by line ${lineOf(cause)}; perhaps a quote was never closed`
  return fault('malformed_csv', null, { detail })
}

function lineOf(cause: CsvError): number {
  return Number(cause['lines'] ?? 0)
}
