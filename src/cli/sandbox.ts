import { loadConfig } from '../config.ts'
import type { SandboxAccess } from '../delivery/sandbox/file.ts'
import { loadSandboxSeed, removeSandboxFile, saveSandboxFile } from '../delivery/sandbox/file.ts'
import { aborted } from '../runtime/clock.ts'
import { Metrics } from '../runtime/metrics.ts'
import { openDataFolder } from '../runtime/open-folder.ts'
import { openLifecycle } from '../runtime/processes/lifecycle.ts'
import { SandboxControl } from '../sandbox/control.ts'
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { defineCommand } from './command.ts'

export const sandboxCommand = defineCommand({
  name: 'sandbox',
  summary: 'Runs the sandbox: a simulator of FCM, APNs and Web Push on this machine.',
  about: [
    'The sandbox listens on loopback and speaks the protocols of the real providers. Workers with the same data folder send the messages of brands without credentials to it, and GET /sandbox/inbox shows the messages that arrived. bin/beckon start runs the sandbox too, unless BECKON_SANDBOX is off.',
  ],
  flags: {
    name: {
      type: 'string',
      value: 'NAME',
      meaning: 'The name of this process in the log and in the metrics.',
    },
  },
  examples: ['bin/beckon sandbox'],
  run: async ({ name = 'sandbox' }) => {
    const { dataDir } = loadConfig()
    const lifecycle = openLifecycle(new Metrics(name))
    await openDataFolder(dataDir)
    const sandbox = await startSandbox({ seed: await loadSandboxSeed(dataDir) })
    const control = new SandboxControl(sandbox)
    const controlUrl = await control.listen()
    await saveSandboxFile(dataDir, { ...accessOf(sandbox), controlUrl, controlToken: control.token })
    await lifecycle.ready()
    await aborted(lifecycle.signal)
    await removeSandboxFile(dataDir, control.token)
    await Promise.all([control.close(), sandbox.close()])
  },
})

function accessOf({
  certificate,
  servers,
  fcm,
  apns,
}: Sandbox): Omit<SandboxAccess, 'controlUrl' | 'controlToken'> {
  const { origin } = servers.fcm
  return {
    certificate,
    fcm: { origin, tokenUrl: `${origin}/token`, credential: fcm.newCredential() },
    apns: {
      origin: servers.apns.origin,
      credential: { ...apns.newCredential(), environment: 'production' },
    },
    web: { origin: servers.web.origin },
  }
}
