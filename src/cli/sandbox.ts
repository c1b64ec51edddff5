import { loadConfig } from '../config.ts'
import type { SandboxAccess } from '../delivery/sandbox/file.ts'
import { removeSandboxFile, saveSandboxFile } from '../delivery/sandbox/file.ts'
import { aborted } from '../runtime/clock.ts'
import { Metrics } from '../runtime/metrics.ts'
import { openDataFolder } from '../runtime/open-folder.ts'
import { openLifecycle } from '../runtime/processes/lifecycle.ts'
import { SandboxControl } from '../sandbox/control.ts'
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { defineCommand } from './command.ts'

export const sandboxCommand = defineCommand({
  name: 'sandbox',
  summary: 'Runs push providers of our own on this machine, in one process.',
  about: [
    'FCM, APNs and web push as the real ones speak, on loopback. Brands without credentials of their own are sent there by the workers that use the same data folder, and GET /sandbox/inbox shows what arrived. beckon start runs it too, unless BECKON_SANDBOX is off.',
  ],
  flags: {
    name: {
      type: 'string',
      value: 'NAME',
      meaning: 'What this process is called in the log and in the metrics.',
    },
  },
  examples: ['beckon sandbox'],
  run: async ({ name = 'sandbox' }) => {
    const { dataDir } = loadConfig()
    const lifecycle = openLifecycle(new Metrics(name))
    await openDataFolder(dataDir)
    const sandbox = await startSandbox()
    const control = new SandboxControl(sandbox)
    await saveSandboxFile(dataDir, accessOf(sandbox, await control.listen()))
    await lifecycle.ready()
    await aborted(lifecycle.signal)
    await removeSandboxFile(dataDir)
    await Promise.all([control.close(), sandbox.close()])
  },
})

function accessOf({ certificate, servers, fcm, apns }: Sandbox, controlUrl: string): SandboxAccess {
  const { origin } = servers.fcm
  return {
    certificate,
    fcm: { origin, tokenUrl: `${origin}/token`, credential: fcm.newCredential() },
    apns: {
      origin: servers.apns.origin,
      credential: { ...apns.newCredential(), environment: 'production' },
    },
    web: { origin: servers.web.origin },
    controlUrl,
  }
}
