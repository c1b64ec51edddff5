import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Fields, fieldsOf } from '../fields.ts'
import { LOGS } from '../lab/folder.ts'
import type { Machine } from '../lab/machine.ts'

/** The lines of one process: beginnings and ends of outages, and errors with a stack, of which an outage should write none. */
export type OutageLines = { readonly away: number; readonly back: number; readonly stacks: number }

/** The end of the log of each machine, from which a round reads. */
export type LogMarks = ReadonlyMap<string, number>

export function markLogs(machines: readonly Machine[]): LogMarks {
  return new Map(
    machines.map(({ host }) => [
      host.name,
      existsSync(logOf(host.name)) ? statSync(logOf(host.name)).size : 0,
    ]),
  )
}

/** The lines since the marks, by machine and process: `a1 api-1`. */
export function readOutageLines(marks: LogMarks): Readonly<Record<string, OutageLines>> {
  const counts = [...marks].flatMap(([machine, from]) => {
    const text = readFileSync(logOf(machine)).subarray(from).toString()
    return Object.entries(countOutageLines(text)).map(
      ([name, lines]) => [`${machine} ${name}`, lines] as const,
    )
  })
  return Object.fromEntries(counts)
}

/** Processes without such a line are left out. A log has other lines than those of Beckon, and its last one may be cut. */
export function countOutageLines(text: string): Readonly<Record<string, OutageLines>> {
  const counts = new Map<string, OutageLines>()
  for (const line of text.split('\n')) {
    const { msg, process: name, ...fields } = parseLine(line)
    const found = { away: msg === AWAY, back: msg === BACK, stacks: hasStack(fields) }
    if (!Object.values(found).includes(true)) continue
    const before = counts.get(String(name)) ?? { away: 0, back: 0, stacks: 0 }
    counts.set(String(name), {
      away: before.away + Number(found.away),
      back: before.back + Number(found.back),
      stacks: before.stacks + Number(found.stacks),
    })
  }
  return Object.fromEntries(counts)
}

const AWAY = 'the database is away'
const BACK = 'the database is back'

function hasStack(fields: Fields): boolean {
  return Object.values(fields).some((value) => 'stack' in fieldsOf(value))
}

function parseLine(line: string): Fields {
  if (!line.startsWith('{') || !line.endsWith('}')) return {}
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    // Another program of the machine writes to the same file.
    return {}
  }
}

function logOf(machine: string): string {
  return join(LOGS, `${machine}.log`)
}
