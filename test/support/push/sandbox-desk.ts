import { sandboxClient } from '../../../src/delivery/sandbox/client.ts'
import type { SandboxDeps } from '../../../src/http/deps.ts'
import { SandboxControl } from '../../../src/sandbox/control.ts'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import { sandboxAccess } from './engine.ts'

/** A sandbox with its control, as an API process finds it. */
export async function openSandboxDesk() {
  const sandbox = await startSandbox()
  const control = new SandboxControl(sandbox)
  const controlUrl = await control.listen()
  const access = { ...sandboxAccess(sandbox), controlUrl, controlToken: control.token }
  const deps: SandboxDeps = sandboxClient(async () => access)
  const close = async (): Promise<void> => {
    await Promise.all([control.close(), sandbox.close()])
  }
  return { sandbox, access, controlUrl, token: control.token, deps, close }
}
