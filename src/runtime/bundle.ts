import { build, stop } from 'esbuild'

/** A file for browsers: where it begins, and whether a page loads it as a script or as a module. */
type BundleWish = { readonly entry: string; readonly format: 'iife' | 'esm' }

/**
 * Makes one small text out of each entry and all it imports. Done in memory when a process starts, so that what is
 * served is always what lies in `web/`, and there is no built file to forget.
 */
export async function bundleAll<Name extends string>(
  wishes: Readonly<Record<Name, BundleWish>>,
): Promise<ReadonlyMap<string, string>> {
  try {
    const rows = Object.entries<BundleWish>(wishes).map(
      async ([name, wish]) => [name, await bundle(wish)] as const,
    )
    return new Map(await Promise.all(rows))
  } finally {
    // The bundler is a process of its own and would wait for more.
    await stop()
  }
}

async function bundle({ entry, format }: BundleWish): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format,
    target: TARGET,
    legalComments: 'none',
    // A script has no import.meta; the code asks for it and does without.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error(`nothing came of ${entry}`)
  return file.text
}

/** Every browser that can show a web push of today. */
const TARGET = ['chrome103', 'firefox102', 'safari16.4']
