import { readFileSync } from 'node:fs'

/** The settings of an image that its Dockerfile makes, beside the files. */
export type ImageSettings = {
  readonly user: string
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

export type Dockerfile = ImageSettings & {
  /** The image that it begins with, such as `node:22-bookworm-slim`. */
  readonly base: string
  /** The steps as a shell script that runs in the folder of the Dockerfile, outside of the root file system `$R`. */
  readonly script: string
}

/** Reads a Dockerfile. A word that this test does not know is an error. */
export function readDockerfile(path: string): Dockerfile {
  const text = readFileSync(path, 'utf8').replaceAll(/\\\n\s*/g, ' ')
  const lines = text.split('\n').filter((line) => /^[A-Z]+ /.test(line))
  const scripts: string[] = []
  let base = ''
  let place: ImageSettings = { user: 'root', folder: '/', variables: {}, command: [] }
  for (const line of lines) {
    const [word = '', ...rest] = line.split(' ')
    if (word === 'FROM') base = rest.join(' ')
    scripts.push(scriptOf(place, word, rest))
    place = { ...place, ...changes(place, word, rest) }
  }
  return { ...place, base, script: scripts.join('\n') }
}

function changes(
  { variables }: ImageSettings,
  word: string,
  rest: readonly string[],
): Partial<ImageSettings> {
  const text = rest.join(' ')
  switch (word) {
    case 'USER':
      return { user: text }
    case 'WORKDIR':
      return { folder: text }
    case 'ENV':
      return { variables: { ...variables, ...Object.fromEntries(rest.map((one) => one.split('='))) } }
    case 'CMD':
      return { command: JSON.parse(text) }
    default:
      return {}
  }
}

function scriptOf(place: ImageSettings, word: string, rest: readonly string[]): string {
  const text = rest.join(' ')
  switch (word) {
    case 'FROM':
    case 'VOLUME':
    case 'EXPOSE':
    case 'HEALTHCHECK':
    case 'USER':
    case 'ENV':
    case 'CMD':
      return `: ${word}`
    case 'WORKDIR':
      return `mkdir -p "$R${text}"`
    case 'COPY': {
      const to = rest.at(-1) ?? ''
      const from = rest.slice(0, -1).join(' ')
      const target = `$R${to.startsWith('/') ? to : `${place.folder}/${to}`}`
      return to.endsWith('/')
        ? `mkdir -p "${target}" && cp -r ${from} "${target}"`
        : `cp -rT ${from} "${target}"`
    }
    case 'RUN':
      return inside(place, text)
    default:
      throw new Error(`the Dockerfile has ${word}, which this test does not know`)
  }
}

function inside({ user, folder, variables }: ImageSettings, command: string): string {
  const quoted = command.replaceAll("'", `'\\''`)
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  return `chroot --userspec=${user} "$R" env HOME=/tmp ${given.join(' ')} sh -c 'cd ${folder} && ${quoted}'`
}
