import { createRequire, syncBuiltinESMExports } from 'node:module'
import { fcmTokenRecipe } from '../../src/providers/fcm/auth.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { poolFor } from '../../test/providers/support.ts'
import { requirePeer } from './install-peers.ts'
import type { PeerClient, PeerJob } from './peer-job.ts'

/** What of `firebase-admin` is used here; its own types are not installed where these are checked. */
type FirebaseAdmin = {
  readonly initializeApp: (options: object) => unknown
  readonly getMessaging: (app: unknown) => {
    readonly sendEach: (messages: readonly object[]) => Promise<{ readonly successCount: number }>
  }
}

/** Ready to send, with its access token: neither loading nor signing in is what is compared. */
export async function openFirebase({ access, devices }: PeerJob): Promise<PeerClient> {
  const { origin, tokenUrl, credential } = access.fcm
  leadTo(origin, access.certificate)
  const transport = poolFor([origin], access.certificate, {})
  const minted = await fcmTokenRecipe(credential, { transport, clock: systemClock, tokenUrl }).mint()
  await transport.close()
  if (minted.kind === 'none') throw new Error('the sandbox lends no token')
  const accessToken = minted.token.value.replace(/^Bearer /, '')
  const admin = load()
  const app = admin.initializeApp({
    projectId: credential.projectId,
    credential: { getAccessToken: async () => ({ access_token: accessToken, expires_in: 3600 }) },
  })
  const notification = { title: 'Hello', body: 'A message of some length to a device' }
  const messages = devices.map(({ address: token }) => ({ token, notification }))
  return {
    send: async () => {
      let sent = 0
      for (let at = 0; at < messages.length; at += EACH_MAX) {
        const { successCount } = await admin.getMessaging(app).sendEach(messages.slice(at, at + EACH_MAX))
        sent += successCount
      }
      return sent
    },
  }
}

/** As many as it takes in one call. */
const EACH_MAX = 500

function load(): FirebaseAdmin {
  const require = requirePeer()
  return { ...require('firebase-admin/app'), ...require('firebase-admin/messaging') }
}

/**
 * It knows one address only, Google's. Its connections are led to the sandbox, here and nowhere else. It writes its
 * `:scheme` with a colon, which Google lets pass and no other HTTP/2 server does.
 */
function leadTo(origin: string, ca: string): void {
  const http2 = createRequire(import.meta.url)('node:http2')
  const { connect } = http2
  http2.connect = (_: string, options: object) => {
    const session = connect(origin, { ...options, ca })
    const request = session.request.bind(session)
    session.request = (headers: Record<string, string>) => {
      headers[':scheme'] = 'https'
      return request(headers)
    }
    return session
  }
  syncBuiltinESMExports()
}
