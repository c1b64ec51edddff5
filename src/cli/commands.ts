import { backupCommand } from './backup.ts'
import { brandCreateCommand, brandListCommand } from './brand.ts'
import { brandDeleteCommand } from './brand-delete.ts'
import type { Command } from './command.ts'
import { doctorCommand } from './doctor.ts'
import { holdCommand, resumeCommand } from './hold.ts'
import { importCommand } from './import.ts'
import { keyCreateCommand, keyListCommand, keyRevokeCommand } from './key.ts'
import {
  memberAddCommand,
  memberLinkCommand,
  memberListCommand,
  memberRemoveCommand,
  memberResetCommand,
} from './member.ts'
import { migrateCommand } from './migrate.ts'
import { restoreCommand } from './restore.ts'
import { apiCommand, workerCommand } from './role.ts'
import { sandboxCommand } from './sandbox.ts'
import { startCommand } from './start.ts'
import { typeLockResetCommand } from './type-lock.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  startCommand,
  apiCommand,
  workerCommand,
  sandboxCommand,
  migrateCommand,
  brandCreateCommand,
  brandListCommand,
  brandDeleteCommand,
  keyCreateCommand,
  keyListCommand,
  keyRevokeCommand,
  memberLinkCommand,
  memberAddCommand,
  memberListCommand,
  memberResetCommand,
  memberRemoveCommand,
  typeLockResetCommand,
  importCommand,
  backupCommand,
  restoreCommand,
  holdCommand,
  resumeCommand,
  doctorCommand,
]
