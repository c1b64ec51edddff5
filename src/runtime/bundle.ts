import { build, stop } from 'esbuild'

/** A file for browsers: its entry file, and whether a page loads it as a script or as a module. */
type BundleWish = { readonly entry: string; readonly format: 'iife' | 'esm' }

/**
 * Bundles and minifies each entry with its imports. This happens in memory when a process starts, so the served file
 * always matches `web/`, and there is no built file to forget.
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
    // The bundler runs as a child process, which would keep waiting for work.
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
    // A script has no import.meta; the code checks for it.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error(`nothing came of ${entry}`)
  return file.text
}

/** The oldest browsers that support web push as it is today. */
const TARGET = ['chrome103', 'firefox102', 'safari16.4']
