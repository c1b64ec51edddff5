import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { missing, ROOT } from '../cluster/lab/folder.ts'
import { PACKAGES } from '../cluster/lab/root.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/cluster')
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

/** The settings of a file of lines `NAME=value`. */
const settingsIn = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...read(name).matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
  )

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test('systemd accepts the units', { skip: hasSystemd ? false : 'no systemd-analyze here' }, () => {
  const root = mkdtempSync(join(tmpdir(), 'beckon-units-'))
  const units = join(root, 'etc/systemd/system')
  mkdirSync(units, { recursive: true })
  for (const name of readdirSync(join(FOLDER, 'systemd'))) {
    const text = read(`systemd/${name}`)
    writeFileSync(join(units, name), text)
    // The programs that the unit names must be there, and so must its user.
    for (const [, program = ''] of text.matchAll(/^Exec\w+=(\S+)/gm)) {
      mkdirSync(join(root, dirname(program)), { recursive: true })
      writeFileSync(join(root, program), '')
      chmodSync(join(root, program), 0o755)
    }
    for (const target of [
      'multi-user.target',
      'network-online.target',
      'sysinit.target',
      'basic.target',
      'shutdown.target',
    ]) {
      writeFileSync(join(units, target), '[Unit]\nDescription=A target\n')
    }
    const checked = spawnSync('systemd-analyze', [`--root=${root}`, 'verify', name], { encoding: 'utf8' })
    assert.deepEqual([checked.status, checked.stderr], [0, ''], name)
  }
  rmSync(root, { recursive: true })
})

test('the settings of a machine of Beckon are settings, and name three hosts', () => {
  const filled = Object.fromEntries(
    Object.entries(settingsIn('beckon.env')).map(([name, value]) => [
      name,
      value.replaceAll(/@(?:BECKON|SECRET|KEY)@/g, 'a-secret-of-more-than-32-characters'),
    ]),
  )
  const config = loadConfig(filled)
  assert.match(config.databaseUrl ?? '', /@10\.84\.0\.11,10\.84\.0\.12,10\.84\.0\.13\/beckon/)
  assert.deepEqual([config.sandbox, config.proxyHops], ['off', 1])
})

test('the containers have the settings of node.env, and the packages that the cluster test runs', () => {
  const compose = read('compose.yaml')
  for (const [name, value] of Object.entries(settingsIn('node.env'))) {
    const rows = [...compose.matchAll(new RegExp(`^ +${name}: '?(.*?)'?$`, 'gm'))].map(([, given]) => given)
    assert.equal(rows.length, 3, name)
    if (!value.includes('@')) assert.deepEqual(rows, [value, value, value], name)
  }
  const [, listed = ''] = /--no-install-recommends ([^\\]+) \\/.exec(read('Dockerfile.node')) ?? []
  const strangers = listed
    .trim()
    .split(' ')
    .filter((name) => !PACKAGES.includes(name))
  assert.deepEqual(strangers, [])
})

const why = missing()

test('the YAML files are YAML, with the kinds that they should have', { skip: why ?? false }, () => {
  assert.equal(parse('compose.yaml'), 'services,networks,volumes of 9')
  assert.equal(parse('kubernetes.yaml'), 'Cluster,Deployment,Service')
  assert.equal(parse('patroni.yml'), 'quorum True')
})

const parse = (name: string): string =>
  execFileSync('chroot', [ROOT, 'python3', '-c', PARSE], { input: read(name), encoding: 'utf8' }).trim()

const PARSE = `
import sys, yaml
pages = list(yaml.safe_load_all(sys.stdin))
first = pages[0]
if 'kind' in first: print(','.join(page['kind'] for page in pages))
elif 'services' in first: print('services,networks,volumes of ' + str(len(first['services'])))
else: print(first['bootstrap']['dcs']['synchronous_mode'], first['bootstrap']['dcs']['synchronous_mode_strict'])
`

test('HAProxy accepts its file', { skip: why ?? false }, () => {
  const script = 'f=$(mktemp) && cat > $f && haproxy -c -f $f; code=$?; rm $f; exit $code'
  const checked = spawnSync('chroot', [ROOT, 'sh', '-c', script], {
    input: read('haproxy.cfg'),
    encoding: 'utf8',
  })
  assert.equal(checked.status, 0, checked.stderr)
})
