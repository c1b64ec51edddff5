import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Fields, fieldsOf } from '../fields.ts'
import { parseYaml } from '../lab/yaml.ts'

export type Volume = {
  readonly name: string
  /** A new volume gets the files that the image has at `target`; a path of this machine is bound as it is. */
  readonly kind: 'volume' | 'path'
  readonly target: string
  readonly isReadOnly: boolean
}

/** A service of a file of Docker Compose, with its variables filled in. */
export type Service = {
  readonly name: string
  readonly address: string | null
  readonly image: { readonly dockerfile: string } | { readonly name: string }
  /** Null for the command of the image. */
  readonly command: readonly string[] | null
  readonly variables: Readonly<Record<string, string>>
  readonly volumes: readonly Volume[]
  readonly restart: string
  readonly sharedMemory: string
}

/** The shared memory that Docker gives a container by default. */
const SHARED_MEMORY = '64m'
const KNOWN_FIELDS = [
  'build',
  'command',
  'environment',
  'image',
  'networks',
  'ports',
  'restart',
  'shm_size',
  'stop_grace_period',
  'volumes',
]

/** The services of a file. A field or a form of a variable that this test does not know is an error, and so is a variable without a value. */
export function readCompose(path: string, values: Readonly<Record<string, string>>): readonly Service[] {
  const [page] = parseYaml(readFileSync(path, 'utf8'))
  const filled: unknown = JSON.parse(JSON.stringify(page), (_, value: unknown) =>
    typeof value === 'string' ? fillVariables(value, values) : value,
  )
  return Object.entries(fieldsOf(fieldsOf(filled)['services'])).map(([name, service]) =>
    readService(dirname(path), name, fieldsOf(service)),
  )
}

/**
 * Docker Compose puts values in place of variables, and one dollar in place of two. Its other forms, such as `$NAME` and `${NAME:-x}`,
 * are errors here, because without a value they stand for something else, and no file of ours needs them.
 */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\{(\w+):\?\}|\$.{0,20}/g, (found, name?: string) => {
    if (found === '$$') return '$'
    if (name === undefined) throw new Error(`this test knows \${NAME:?} and $$ only, and not ${found}`)
    const value = values[name] ?? ''
    if (value === '') throw new Error(`no value for ${found}`)
    return value
  })
}

function readService(folder: string, name: string, fields: Fields): Service {
  const strangers = Object.keys(fields).filter((field) => !KNOWN_FIELDS.includes(field))
  if (strangers.length > 0) throw new Error(`${name} has ${strangers.join()}, which this test does not know`)
  const address = fieldsOf(fieldsOf(fields['networks'])['cluster'])['ipv4_address']
  const { command } = fields
  return {
    name,
    address: textOf(address),
    image: readImage(folder, fields),
    command: command === undefined ? null : textsOf(command),
    variables: Object.fromEntries(
      Object.entries(fieldsOf(fields['environment'])).map(([key, value]) => [key, String(value)]),
    ),
    volumes: textsOf(fields['volumes'] ?? []).map((volume) => readVolume(folder, volume)),
    restart: textOf(fields['restart']) ?? 'no',
    sharedMemory: textOf(fields['shm_size']) ?? SHARED_MEMORY,
  }
}

function readImage(folder: string, { build, image }: Fields): Service['image'] {
  if (build === undefined) return { name: String(image) }
  const { context, dockerfile } = typeof build === 'string' ? { context: build } : fieldsOf(build)
  return { dockerfile: resolve(folder, String(context), textOf(dockerfile) ?? 'Dockerfile') }
}

function readVolume(folder: string, text: string): Volume {
  const [source = '', target = '', mode] = text.split(':')
  const isPath = source.startsWith('.')
  return {
    name: isPath ? join(folder, source) : source,
    kind: isPath ? 'path' : 'volume',
    target,
    isReadOnly: mode === 'ro',
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function textsOf(list: unknown): readonly string[] {
  if (!Array.isArray(list)) throw new Error(`no list: ${JSON.stringify(list)}`)
  return list.map(String)
}
