import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { CHROMIUM } from './chromium.ts'
import { FIREFOX } from './firefox.ts'

/** What a browser test needs from the system, by the Debian package that brings it. */
const PROGRAMS = [
  { debian: 'chromium', paths: [CHROMIUM] },
  { debian: 'firefox-esr', paths: [FIREFOX] },
  { debian: 'dbus', paths: ['/usr/bin/dbus-daemon'] },
  {
    debian: 'libnotify4',
    paths: ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/libnotify.so.4`),
  },
] as const satisfies readonly { readonly debian: string; readonly paths: readonly string[] }[]

const INSTALL_MAX_MS = 10 * 60_000

/** Debian packages that are not there. */
export function missingPrograms(): readonly string[] {
  return PROGRAMS.filter(({ paths }) => !paths.some((path) => existsSync(path))).map(({ debian }) => debian)
}

/** Why the browser tests cannot run on this machine, and what to do; false when they can. */
export function whyNoBrowsers(): string | false {
  const missing = missingPrograms()
  return missing.length > 0 && `not installed: ${missing.join(', ')}. On Debian: ${installLine(missing)}`
}

/** Installs what is missing where that can be done without asking: as root on Debian. */
export function installPrograms(say: (line: string) => void): void {
  const missing = missingPrograms()
  if (missing.length === 0) return
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) {
    say(`the browser tests will be skipped: ${missing.join(', ')} not installed`)
    return
  }
  say(`installing ${missing.join(', ')} for the browser tests, once; this takes a minute or two`)
  const installed = spawnSync('sh', ['-c', installLine(missing)], {
    encoding: 'utf8',
    timeout: INSTALL_MAX_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (installed.status !== 0) say(`that failed, so they will be skipped:\n${installed.stderr}`)
}

function installLine(packages: readonly string[]): string {
  return `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`
}
