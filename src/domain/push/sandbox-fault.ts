import type { SandboxFault, SandboxHost } from '../../rules/sandbox.ts'

/** A rule by which messages of one brand fail in the sandbox. */
export type SandboxFaultRule = {
  readonly id: number
  readonly fault: SandboxFault
  readonly status: number
  readonly retryAfter: number | null
  readonly delayMs: number
  readonly share: number
  readonly host: SandboxHost | null
  readonly token: string | null
  readonly times: number | null
  readonly endsAt: number
  readonly count: number
}

/** A rule as a caller asks for it. */
export type SandboxFaultDraft = Omit<SandboxFaultRule, 'id' | 'endsAt' | 'count'> & {
  readonly seconds: number
}
