import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildImage, CONTAINERS } from './containers/image.ts'
import { containerNetwork } from './containers/project.ts'
import { HOME } from './lab/apps.ts'
import { HUB, makeNetwork, namespaceOf, removeNetwork } from './lab/network.ts'
import { sh } from './lab/shell.ts'

const DOCKERFILES = ['Dockerfile', 'deploy/cluster/Dockerfile.node']
const UP = join(import.meta.dirname, 'containers/up.ts')

/**
 * Takes the steps of both Dockerfiles one by one in a bare Debian root file system, and starts what both files of Docker
 * Compose would start. Building the images themselves needs a Docker engine.
 */
export async function tryImages(): Promise<string> {
  for (const file of DOCKERFILES) await buildImage(join(HOME, file))
  const network = containerNetwork()
  await makeNetwork(network)
  try {
    // All containers end with the process `up.ts`.
    const enter = ['--pdeathsig', 'KILL', 'ip', 'netns', 'exec', namespaceOf(HUB, network)]
    const child = spawn('setpriv', [...enter, process.execPath, UP], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    if (code !== 0) throw new Error(`the containers ended with ${code}: their logs are in ${CONTAINERS}`)
    await sh('rm', '-rf', CONTAINERS)
    return `every step of ${DOCKERFILES.join(' and ')} ran; ${said.trim()}`
  } finally {
    await removeNetwork(network)
  }
}
