import type { SandboxDeps } from '../../../src/http/deps.ts'

/** The answers of a machine without a sandbox. */
export const NO_SANDBOX: SandboxDeps = {
  isPresent: async () => false,
  arrivals: async () => null,
  messagesOf: async () => null,
  newDevice: async () => null,
  faults: async () => null,
  addFault: async () => null,
  clearFaults: async () => null,
}
