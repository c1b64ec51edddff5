import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOME } from './lab/apps.ts'
import { LAB } from './lab/folder.ts'
import { sh } from './lab/shell.ts'
import { parseYaml } from './lab/yaml.ts'

/**
 * The schemas of Kubernetes and of CloudNativePG, as types. They are 27 MB in 27 packages, for one file: they are installed
 * beside the lab, and are no packages of Beckon.
 */
const SCHEMAS = ['kubernetes-models@5.1.0', '@kubernetes-models/cloudnative-pg@2.0.0']

const KINDS = [
  { type: 'ICluster', from: '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1' },
  { type: 'IDeployment', from: 'kubernetes-models/apps/v1' },
  { type: 'IService', from: 'kubernetes-models/v1' },
] as const

/**
 * Gives each object of the Kubernetes manifest to the TypeScript compiler as a literal of its type, which must have every
 * field that the object has. Trying the manifest itself needs a Kubernetes.
 */
export async function checkManifest(): Promise<string> {
  const folder = join(LAB, 'manifest')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
  await sh('npm', 'install', '--prefix', folder, ...options, ...SCHEMAS)
  const pages = parseYaml(readFileSync(join(HOME, 'deploy/cluster/kubernetes.yaml'), 'utf8'))
  if (pages.length !== KINDS.length) throw new Error(`${pages.length} objects, not ${KINDS.length}`)
  await compile(folder, pages)
  const misspelt = structuredClone(pages).map((page) => ({ ...Object(page), spek: {} }))
  const isNoticed = await compile(folder, misspelt).then(
    () => false,
    () => true,
  )
  if (!isNoticed) throw new Error('a field that is no field was not noticed')
  return `every field of ${KINDS.length} objects is one of ${SCHEMAS.join(' or ')}`
}

async function compile(folder: string, pages: readonly unknown[]): Promise<void> {
  const lines = KINDS.map(
    ({ type, from }, index) =>
      `import type { ${type} } from '${from}'\nexport const page${index}: ${type} = ${JSON.stringify(pages[index], null, 2)}\n`,
  )
  const file = join(folder, 'manifest.ts')
  writeFileSync(file, lines.join(''))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext']
  await sh(join(HOME, 'node_modules/.bin/tsc'), ...options, '--target', 'es2022', file)
}
