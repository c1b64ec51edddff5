import { defineCommand } from './command.ts'

const NAME_FLAG = {
  type: 'string',
  value: 'NAME',
  meaning: 'What this process is called in the log and in the metrics.',
} as const

const SOLO = [
  'It uses DATABASE_URL, or the PostgreSQL of a Beckon that runs on the same data folder. Run as many as you like, on as many machines as you like; they need the same BECKON_SECRET.',
]

// The code of a role is loaded only when the role runs: the supervisor and the other commands do not need it.

export const apiCommand = defineCommand({
  name: 'api',
  summary: 'Answers requests, in one process.',
  about: SOLO,
  flags: { name: NAME_FLAG },
  examples: ['PORT=8081 DATABASE_URL=postgres://beckon:...@db/beckon bin/beckon api'],
  run: async ({ name = 'api' }) => (await import('./run-role.ts')).runApi(name),
})

export const workerCommand = defineCommand({
  name: 'worker',
  summary: 'Sends, counts and cleans up, in one process.',
  about: SOLO,
  flags: { name: NAME_FLAG },
  examples: ['DATABASE_URL=postgres://beckon:...@db/beckon bin/beckon worker'],
  run: async ({ name = 'worker' }) => (await import('./run-role.ts')).runWorkers(name),
})
