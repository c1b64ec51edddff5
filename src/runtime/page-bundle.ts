import { createHash } from 'node:crypto'
import { glob, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type Plugin, stop } from 'esbuild'

/** A file of a bundle, as it is sent. */
export type BundleFile = {
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
  readonly brotli: Uint8Array
}

/** A page of many files: the names of those that the first view needs, and all files by name. */
export type PageBundle = {
  readonly script: string
  /** Chunks that the script imports at once, so that a browser can ask for all of them together. */
  readonly imports: readonly string[]
  readonly styles: readonly string[]
  readonly files: ReadonlyMap<string, BundleFile>
}

export type BundleSource = {
  readonly home: string
  readonly entry: string
  /** The files that the bundle is made of, as patterns below `home`; a change of any of them makes a new bundle. */
  readonly sources: readonly string[]
  /** Where bundles are kept, one folder for each content. */
  readonly folder: string
}

/**
 * The bundle of these sources: read from its folder, or built into it. Building takes seconds, so the folder is named by
 * the hash of the sources and lasts over restarts. Two processes may build at once: the first to rename its folder wins,
 * and both have the same content.
 */
export async function ensureBundle(source: BundleSource): Promise<PageBundle> {
  const place = join(source.folder, await hashSources(source))
  if ((await stat(join(place, MANIFEST)).catch(() => null)) === null) await buildInto(source, place)
  return readBundle(place)
}

const MANIFEST = 'manifest.json'

async function hashSources({ home, sources }: BundleSource): Promise<string> {
  const names = (await Array.fromAsync(glob([...sources], { cwd: home }))).toSorted()
  const hash = createHash('sha256').update(OPTIONS_TEXT)
  for (const name of names) {
    const path = join(home, name)
    if ((await stat(path)).isFile()) hash.update(`${name}\0`).update(await readFile(path))
  }
  return hash.digest('hex').slice(0, HASH_CHARS)
}

const HASH_CHARS = 16

async function buildInto({ home, entry, folder }: BundleSource, place: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const unfinished = await mkdtemp(join(folder, 'unfinished-'))
  try {
    const { metafile } = await build({
      ...OPTIONS,
      absWorkingDir: home,
      entryPoints: [entry],
      outdir: unfinished,
      plugins: [allStyles(join(home, dirname(entry)))],
    })
    const manifest = manifestOf(metafile)
    await compressAll(unfinished, manifest)
    await writeFile(join(unfinished, MANIFEST), JSON.stringify(manifest))
    await rename(unfinished, place).catch(async (cause: unknown) => {
      // Another process was faster, and its folder has the same content.
      if ((await stat(join(place, MANIFEST)).catch(() => null)) === null) throw cause
    })
  } finally {
    // The bundler runs as a child process, which would keep waiting for work.
    await stop()
    await rm(unfinished, { recursive: true, force: true })
  }
  await removeOld(folder)
}

const OPTIONS: BuildOptions & { readonly metafile: true } = {
  metafile: true,
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  jsx: 'automatic',
  target: ['chrome120', 'firefox121', 'safari17.2'],
  entryNames: '[name]-[hash]',
  chunkNames: 'chunk-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.woff2': 'file' },
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
}
const OPTIONS_TEXT = JSON.stringify(OPTIONS)

/**
 * `all-styles` imports every style sheet of the folder. The bundler does not load the styles of a lazy page, so the first
 * page brings all of them; they are small.
 */
function allStyles(folder: string): Plugin {
  return {
    name: 'all-styles',
    setup: (made) => {
      made.onResolve({ filter: /^all-styles$/ }, () => ({ path: 'all-styles', namespace: 'all-styles' }))
      made.onLoad({ filter: /.*/, namespace: 'all-styles' }, async () => {
        const names = (await Array.fromAsync(glob('**/*.css', { cwd: folder }))).toSorted()
        const contents = names.map((name) => `import ${JSON.stringify(`./${name}`)}`).join('\n')
        return { contents, resolveDir: folder }
      })
    },
  }
}

/** The styles of lazy pages stand in the first style sheet already, so their own are not kept. */
async function compressAll(folder: string, { styles }: Manifest): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith('.css') && !styles.includes(name)) {
      await rm(join(folder, name))
      continue
    }
    const plain = await readFile(join(folder, name))
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }
    await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(plain, { level: 9 }))
    await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(plain, quality))
  }
}

/** The best quality takes ten times as long for a twentieth less. */
const BROTLI_QUALITY = 9

type Manifest = Pick<PageBundle, 'script' | 'imports' | 'styles'>

function manifestOf({ outputs }: Metafile): Manifest {
  const found = Object.entries(outputs).find(
    ([, output]) => output.entryPoint !== undefined && isMain(output),
  )
  if (found === undefined) throw new Error('the bundle has no entry')
  const [script, { imports, cssBundle }] = found
  const chunks = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path))
  return {
    script: basename(script),
    imports: chunks,
    styles: cssBundle === undefined ? [] : [basename(cssBundle)],
  }
}

/** Lazy pages are entries of their own; only the one that nothing imports lazily is the start. */
function isMain({ entryPoint }: Metafile['outputs'][string]): boolean {
  return entryPoint?.endsWith('/main.tsx') === true
}

async function readBundle(place: string): Promise<PageBundle> {
  const manifest: Manifest = JSON.parse(await readFile(join(place, MANIFEST), 'utf8'))
  const names = (await readdir(place)).filter((name) => !/\.(?:gz|br)$|^manifest/.test(name))
  const files = names.map(async (name): Promise<[string, BundleFile]> => {
    const [plain, zipped, brotli] = await Promise.all(
      ['', '.gz', '.br'].map(async (suffix) => readFile(join(place, name + suffix))),
    )
    if (plain === undefined || zipped === undefined || brotli === undefined)
      throw new Error(`${name} is not whole`)
    return [name, { plain, gzip: zipped, brotli }]
  })
  return { ...manifest, files: new Map(await Promise.all(files)) }
}

/** A few older bundles stay, for processes of the version before that still serve during a rolling restart. */
async function removeOld(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[\da-f]{16}$/.test(name))
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  )
  const old = aged.toSorted((one, other) => other.at - one.at).slice(BUNDLES_KEPT)
  await Promise.all(old.map(async ({ name }) => rm(join(folder, name), { recursive: true, force: true })))
}

const BUNDLES_KEPT = 3
