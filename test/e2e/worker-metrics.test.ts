import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase } from '../support/database/database.ts'
import { launch, runBeckon } from '../support/processes/beckon.ts'
import { findQuietPort } from '../support/processes/quiet-port.ts'
import { until } from '../support/until.ts'

test('a worker that runs alone serves its metrics and its health where a setting says', async (context) => {
  const { url, drop } = await freshDatabase()
  context.after(drop)
  const port = await findQuietPort()
  const environment = {
    DATABASE_URL: url,
    BECKON_SECRET: 's'.repeat(32),
    BECKON_METRICS_PORT: String(port),
  }
  const worker = launch(context, ['worker', '--name', 'lonely'], environment)
  const ask = async (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method }).catch(() => null)
  await until(async () => (await ask('/healthz'))?.status === 200, {
    what: 'the worker to answer',
    giveUp: worker.ended.then(() => new Error(worker.stderr())),
  })
  await until(async () => ((await (await ask('/metrics'))?.text()) ?? '').includes('beckon_backlog{'), {
    what: 'the backlog',
  })
  const metrics = await ask('/metrics')
  assert.match(metrics?.headers.get('content-type') ?? '', /^text\/plain; version=/)
  assert.match((await metrics?.text()) ?? '', /process="lonely"/)
  assert.equal((await ask('/'))?.status, 404)
  assert.equal((await ask('/metrics', 'POST'))?.status, 405)
  const second = await runBeckon(['worker'], environment)
  assert.match(second.stderr, new RegExp(`Port ${port} is taken`))
  worker.send('SIGTERM')
  assert.equal((await worker.ended).code, 0)
})
