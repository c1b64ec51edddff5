import { type App, createApp, runWorker, serveApi } from '../app.ts'
import { type Config, loadConfig } from '../config.ts'
import { joinHost } from '../runtime/host.ts'
import { Metrics } from '../runtime/metrics.ts'
import { loadSecretFile } from '../runtime/secret-file.ts'
import { StartError } from '../runtime/start-error.ts'
import { defineCommand } from './command.ts'
import { checkSchema, findDatabaseUrl } from './open-database.ts'

const NAME_FLAG = {
  type: 'string',
  value: 'NAME',
  meaning: 'What this process is called in the log and in the metrics.',
} as const

const SOLO = [
  'It uses DATABASE_URL, or the PostgreSQL of a Beckon that runs on the same data folder. Run as many as you like, on as many machines as you like; they need the same BECKON_SECRET.',
]

export const apiCommand = defineCommand({
  name: 'api',
  summary: 'Answers requests, in one process.',
  about: SOLO,
  flags: { name: NAME_FLAG },
  examples: ['PORT=8081 DATABASE_URL=postgres://beckon:...@db/beckon beckon api'],
  run: async ({ name = 'api' }) => serveApi(await openApp(loadConfig(), name)),
})

export const workerCommand = defineCommand({
  name: 'worker',
  summary: 'Sends, counts and cleans up, in one process.',
  about: SOLO,
  flags: { name: NAME_FLAG },
  examples: ['DATABASE_URL=postgres://beckon:...@db/beckon beckon worker'],
  run: async ({ name = 'worker' }) => runWorker(await openApp(loadConfig(), name)),
})

async function openApp(config: Config, name: string): Promise<App> {
  const metrics = new Metrics(name)
  const host = joinHost(metrics)
  const databaseUrl = await findDatabaseUrl(config)
  await checkSchema(databaseUrl)
  const app = createApp(config, { name, host, metrics, databaseUrl, secret: await loadSecret(config) })
  const die = (error: unknown): void => {
    app.log.fatal('this process cannot go on', { error })
    process.exit(1)
  }
  process.on('uncaughtException', die)
  return app
}

/** A role never makes a secret: two machines that each made one could not read each other's credentials. */
async function loadSecret(config: Config): Promise<string> {
  const secret = config.secret ?? (await loadSecretFile(config.dataDir))
  if (secret !== null) return secret
  throw new StartError(
    `There is no secret in ${config.dataDir}: set BECKON_SECRET to the one your other processes use.`,
  )
}
