import { type App, createApp, runWorker } from '../app.ts'
import { type Config, loadConfig } from '../config.ts'
import { Metrics } from '../runtime/metrics.ts'
import { openLifecycle } from '../runtime/processes/lifecycle.ts'
import { serveMetrics } from '../runtime/processes/metrics-server.ts'
import { describeReplication } from './doctor-database.ts'
import { checkDropped, checkSchema, findDatabaseUrl } from './open-database.ts'
import { loadRoleSecret } from './secret.ts'

// A worker answers no requests, so it does not load the routes and their schemas, which are half of all files.
export async function runApi(name: string): Promise<void> {
  const { serveApi } = await import('../api.ts')
  await serveApi(await openApp(loadConfig(), name))
}

export async function runWorkers(name: string): Promise<void> {
  const config = loadConfig()
  const app = await openApp(config, name)
  const { metrics, lifecycle } = app
  await serveMetrics({ metrics, port: config.metricsPort, host: config.host, signal: lifecycle.signal })
  await runWorker(app)
}

/** Opens the database and the secret of a role; throws a StartError with a sentence for each that is missing. */
async function openApp(config: Config, name: string): Promise<App> {
  const metrics = new Metrics(name)
  const lifecycle = openLifecycle(metrics)
  const databaseUrl = await findDatabaseUrl(config)
  await checkSchema(databaseUrl)
  await checkDropped(config, databaseUrl)
  const secret = await loadRoleSecret(config, databaseUrl)
  const replication = await describeReplication(databaseUrl)
  const app = createApp(config, { name, lifecycle, metrics, databaseUrl, secret })
  if (replication !== null) app.log.warn(replication)
  await app.clock.sync()
  const die = (error: unknown): void => {
    app.log.fatal('this process cannot go on', { error })
    process.exit(1)
  }
  process.on('uncaughtException', die)
  return app
}
