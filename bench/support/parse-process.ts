/** `parse-server` in a process of its own, as its documentation starts it. Its argument is a file with a `ParseJob`. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { dirname } from 'node:path'
import { requirePeer } from './install-peers.ts'
import { PARSE_HEADERS, type ParseJob } from './parse-job.ts'

/** What of `parse-server` and `express` is used here; their own types are not installed where these are checked. */
type Parse = {
  readonly ParseServer: new (
    options: object,
  ) => { readonly start: () => Promise<void>; readonly app: unknown }
}
type Express = () => {
  readonly use: (path: string, app: unknown) => void
  readonly listen: (port: number, host: string) => Server
}

const { databaseURI, port, farEnd, certificate, credential }: ParseJob = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
)
// It makes a folder for its logs where it starts, whatever its settings say.
process.chdir(dirname(process.argv[2] ?? ''))
const require = requirePeer()
const { ParseServer }: Parse = require('parse-server')
const express: Express = require('express')
const { keyPem: key, keyId, teamId, bundleId: topic } = credential
const server = new ParseServer({
  databaseURI,
  appId: PARSE_HEADERS['x-parse-application-id'],
  masterKey: PARSE_HEADERS['x-parse-master-key'],
  serverURL: `http://127.0.0.1:${port}/parse`,
  push: {
    ios: {
      token: { key, keyId, teamId },
      topic,
      address: 'localhost',
      port: Number(new URL(farEnd).port),
      ca: certificate,
      production: true,
    },
  },
  logLevel: 'error',
  silent: true,
  logsFolder: null,
})
await server.start()
const app = express()
app.use('/parse', server.app)
await once(app.listen(port, '127.0.0.1'), 'listening')
process.stdout.write('ready\n')
