import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { SANDBOX_FAULTS, SANDBOX_HOSTS, type SandboxFaultRule } from '../../rules/sandbox.ts'

/** The rules in the control's answer. Both ends are of one version, so that a strange rule is left out. */
export function faultRulesIn(rules: unknown): readonly SandboxFaultRule[] {
  return Array.isArray(rules) ? rules.filter(isJsonObject).flatMap(ruleOf) : []
}

function ruleOf(fields: JsonObject): readonly SandboxFaultRule[] {
  const { fault, host, token, retryAfter, times } = fields
  if (!isOneOf(SANDBOX_FAULTS, fault) || !(host === null || isOneOf(SANDBOX_HOSTS, host))) return []
  return [
    {
      id: Number(fields['id']),
      fault,
      status: Number(fields['status']),
      retryAfter: typeof retryAfter === 'number' ? retryAfter : null,
      delayMs: Number(fields['delayMs']),
      share: Number(fields['share']),
      host,
      token: typeof token === 'string' ? token : null,
      times: typeof times === 'number' ? times : null,
      endsAt: Number(fields['endsAt']),
      count: Number(fields['count']),
    },
  ]
}

function isOneOf<Name extends string>(names: readonly Name[], value: unknown): value is Name {
  return names.some((name) => name === value)
}
