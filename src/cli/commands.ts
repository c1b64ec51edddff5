import type { Command } from './command.ts'

/**
 * All commands by name, in the order of the help. A command is loaded when it is asked for, because a start has several
 * processes and each would load the files of all of them.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).startCommand,
  api: async () => (await import('./role.ts')).apiCommand,
  worker: async () => (await import('./role.ts')).workerCommand,
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  'brand create': async () => (await import('./brand.ts')).brandCreateCommand,
  'brand list': async () => (await import('./brand.ts')).brandListCommand,
  'brand delete': async () => (await import('./brand-delete.ts')).brandDeleteCommand,
  'brand restore': async () => (await import('./brand.ts')).brandRestoreCommand,
  'key create': async () => (await import('./key.ts')).keyCreateCommand,
  'key list': async () => (await import('./key.ts')).keyListCommand,
  'key revoke': async () => (await import('./key.ts')).keyRevokeCommand,
  'member link': async () => (await import('./member.ts')).memberLinkCommand,
  'member add': async () => (await import('./member.ts')).memberAddCommand,
  'member list': async () => (await import('./member.ts')).memberListCommand,
  'member reset': async () => (await import('./member.ts')).memberResetCommand,
  'member remove': async () => (await import('./member.ts')).memberRemoveCommand,
  'type-lock reset': async () => (await import('./type-lock.ts')).typeLockResetCommand,
  import: async () => (await import('./import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  hold: async () => (await import('./hold.ts')).holdCommand,
  resume: async () => (await import('./hold.ts')).resumeCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
}

/** The commands of these names, loaded. */
export async function loadCommands(names: readonly string[]): Promise<readonly Command[]> {
  return Promise.all(Object.entries(COMMANDS).flatMap(([name, load]) => (names.includes(name) ? load() : [])))
}
