import { LIVE_LIMITS, LIVE_SUBJECTS, type LiveSubjectKind } from '../../rules/live.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { parseInt64 } from '../values/int64.ts'
import { isUuid } from '../values/uuid.ts'

/** One thing that a live stream is about. `name` is its spelling: `campaign:12`, `overview`. */
export type LiveSubject =
  | { readonly kind: 'notification'; readonly name: string; readonly id: string }
  | { readonly kind: 'campaign'; readonly name: string; readonly id: bigint }
  | { readonly kind: 'journey'; readonly name: string; readonly id: bigint }
  | { readonly kind: 'overview' | 'virtual_devices' | 'events'; readonly name: string }

/** The subjects of a stream, each once, from a list with commas. */
export function parseSubjects(text: string): Result<readonly LiveSubject[]> {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '')
  if (names.length === 0) return reject(fault('field_empty', 'subjects'))
  if (names.length > LIVE_LIMITS.subjectsMax) {
    const detail = `a stream has at most ${LIVE_LIMITS.subjectsMax} subjects`
    return reject(fault('field_invalid', 'subjects', { detail }))
  }
  const subjects: LiveSubject[] = []
  for (const name of names) {
    const subject = parseSubject(name)
    if (!subject.ok) return subject
    if (!subjects.some((known) => known.name === subject.value.name)) subjects.push(subject.value)
  }
  return accept(subjects)
}

/** An id that cannot be one is not found, like an unknown id. */
function parseSubject(name: string): Result<LiveSubject> {
  const [word = '', ...rest] = name.split(':')
  const kind = KINDS.find((known) => known === word)
  const id = rest.join(':')
  if (kind === undefined || (LIVE_SUBJECTS[kind].id === null) !== (rest.length === 0)) {
    return reject(fault('field_invalid', 'subjects', { detail: DETAIL }))
  }
  if (kind === 'overview' || kind === 'virtual_devices' || kind === 'events')
    return accept({ kind, name: kind })
  if (kind === 'notification') {
    if (!isUuid(id)) return reject(fault(LIVE_SUBJECTS[kind].missing, 'subjects'))
    return accept({ kind, name: `${kind}:${id.toLowerCase()}`, id: id.toLowerCase() })
  }
  const number = parseInt64(id)
  if (number === null) return reject(fault(LIVE_SUBJECTS[kind].missing, 'subjects'))
  return accept({ kind, name: `${kind}:${number}`, id: number })
}

const KINDS: readonly LiveSubjectKind[] = [
  'notification',
  'campaign',
  'journey',
  'overview',
  'virtual_devices',
  'events',
]

const DETAIL =
  'it may have notification:<id>, campaign:<id>, journey:<id>, overview, virtual_devices and events, with commas between them'
