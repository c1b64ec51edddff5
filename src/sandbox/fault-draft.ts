import { SANDBOX_FAULT_LIMITS, SANDBOX_FAULTS, SANDBOX_HOSTS } from '../rules/sandbox.ts'
import type { FaultDraft } from './fault-dial.ts'
import { parseObject } from './jwt.ts'

/** A rule from the body of a call to the control. A text says which field is wrong. */
export function parseFaultDraft(body: string): FaultDraft | string {
  const fields = parseObject(body)
  if (fields === null) return 'the body must be a JSON object'
  const {
    brandId = null,
    fault,
    status,
    retryAfter = null,
    delayMs,
    share,
    host = null,
    token = null,
  } = fields
  const { seconds, times = null } = fields
  const bounds = SANDBOX_FAULT_LIMITS
  if (brandId !== null && !isWhole(brandId, 1, MAX_INT)) return 'brandId must be a whole number, or null'
  if (!isOneOf(SANDBOX_FAULTS, fault)) return `fault must be one of ${SANDBOX_FAULTS.join(', ')}`
  if (!isWhole(status, bounds.statusMin, bounds.statusMax)) return 'status must be from 300 to 599'
  if (retryAfter !== null && !isWhole(retryAfter, 0, bounds.retryAfterSecondsMax))
    return 'retryAfter is wrong'
  if (!isWhole(delayMs, 1, bounds.delayMsMax)) return 'delayMs is wrong'
  if (typeof share !== 'number' || !(share >= bounds.shareMin && share <= 1)) return 'share is wrong'
  if (host !== null && !isOneOf(SANDBOX_HOSTS, host)) return 'host is wrong'
  if (token !== null && !isText(token, bounds.tokenCharsMax)) return 'token is wrong'
  if (times !== null && !isWhole(times, 1, bounds.timesMax)) return 'times is wrong'
  if (!isWhole(seconds, 1, bounds.secondsMax)) return 'seconds is wrong'
  return { brandId, fault, status, retryAfter, delayMs, share, host, token, times, seconds }
}

const MAX_INT = 2 ** 31 - 1

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}

function isText(value: unknown, charsMax: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= charsMax
}

function isOneOf<Name extends string>(names: readonly Name[], value: unknown): value is Name {
  return names.some((name) => name === value)
}
