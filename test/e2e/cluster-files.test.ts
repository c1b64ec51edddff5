import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { fillVariables } from '../cluster/containers/compose.ts'
import { type Fields, fieldsOf } from '../cluster/fields.ts'
import { missing, ROOT } from '../cluster/lab/folder.ts'
import { PACKAGES } from '../cluster/lab/root.ts'
import { parseYaml } from '../cluster/lab/yaml.ts'

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
    for (const [, program = ''] of text.matchAll(/^Exec\w+=[-+]*(\S+)/gm)) {
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

test('a variable of a container has a value, or is an error', () => {
  const values = { NAME: 'value', EMPTY: '' }
  assert.equal(
    fillVariables('a ${NAME:?} of $$NAME and $${NAME:?}', values),
    'a value of $NAME and ${NAME:?}',
  )
  const wrong = [
    '${OTHER:?}',
    '${EMPTY:?}',
    '${NAME}',
    '${NAME:-x}',
    '${NAME?}',
    '$NAME',
    '$$$NAME',
    'a $',
    '$\n',
  ]
  for (const text of wrong) assert.throws(() => fillVariables(text, values), text)
  const compose = read('compose.yaml')
  const filled = Object.fromEntries(
    [...compose.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => [name, 'value']),
  )
  assert.doesNotThrow(() => fillVariables(compose, filled))
})

const why = missing()

/** The pages of a YAML file, as Patroni's own parser reads them. */
const parse = (name: string): readonly Fields[] => parseYaml(read(name)).map(fieldsOf)

/** The value at a path of names. */
const at = (page: unknown, ...path: readonly string[]): unknown =>
  path.reduce(
    (value: unknown, name) => (Array.isArray(value) ? value[Number(name)] : fieldsOf(value)[name]),
    page,
  )

test('Patroni commits by quorum, and patronictl finds etcd without node.env', { skip: why ?? false }, () => {
  const [file] = parse('patroni.yml')
  const dcs = at(file, 'bootstrap', 'dcs')
  assert.deepEqual([at(dcs, 'synchronous_mode'), at(dcs, 'synchronous_mode_strict')], ['quorum', true])
  const callback = at(file, 'postgresql', 'callbacks', 'on_role_change')
  assert.equal(callback, 'sh /etc/beckon/etcd-guard.sh')

  const script = `from patroni.config import Config; import os, sys
os.makedirs('/tmp', exist_ok=True); path = '/tmp/beckon-patroni-%d.yml' % os.getpid()
open(path, 'w').write(sys.stdin.read()); found = Config(path, validator=None).copy()['etcd3']; os.unlink(path); print(found)`
  const hostsWith = (...environment: readonly string[]): string =>
    execFileSync('chroot', [ROOT, 'env', '-i', ...PLAIN, ...environment, 'python3', '-c', script], {
      input: read('patroni.yml'),
      encoding: 'utf8',
    }).trim()
  assert.equal(hostsWith(), `{'hosts': '127.0.0.1:2379'}`)
  assert.equal(
    hostsWith('PATRONI_ETCD3_HOSTS=10.84.0.11:2379,10.84.0.12:2379'),
    `{'hosts': ['10.84.0.11:2379', '10.84.0.12:2379']}`,
  )
})

const PLAIN = ['PATH=/usr/bin:/bin', 'PYTHONDONTWRITEBYTECODE=1']

test('every container has an address of its own, and every node two guards with its settings', {
  skip: why ?? false,
}, () => {
  const [file] = parse('compose.yaml')
  const services = Object.entries(fieldsOf(at(file, 'services')))
  const addresses = services.map(([, service]) => at(service, 'networks', 'cluster', 'ipv4_address'))
  assert.equal(new Set(addresses).size, services.length, String(addresses))
  assert.ok(!addresses.includes(undefined))
  for (const name of ['n1', 'n2', 'n3']) {
    const node = at(file, 'services', name)
    for (const guard of ['disk-guard', 'etcd-guard']) {
      const service = at(file, 'services', `${guard}-${name}`)
      assert.deepEqual(at(service, 'environment'), at(node, 'environment'))
      assert.deepEqual(at(service, 'command'), ['sh', `/etc/beckon/${guard}.sh`])
    }
    assert.deepEqual(at(file, 'services', `disk-guard-${name}`, 'volumes'), at(node, 'volumes'))
    // The etcd of this node, which is another container.
    const etcd = at(file, 'services', `etcd-${name}`, 'environment', 'ETCD_ADVERTISE_CLIENT_URLS')
    assert.equal(at(node, 'environment', 'ETCDCTL_ENDPOINTS'), etcd)
  }
  assert.match(read('Dockerfile.node'), /^COPY patroni\.yml disk-guard\.sh etcd-guard\.sh \/etc\/beckon\/$/m)
})

const statements = (text: string): readonly string[] => text.match(/^[a-z].*;$/gm) ?? []

test('the container that makes the database makes it once, with the password', { skip: why ?? false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-compose-'))
  const [file] = parse('compose.yaml')
  // Docker Compose writes one dollar for two. The file is where this machine has it.
  const script = String(at(file, 'services', 'database', 'command', '2'))
    .replaceAll('$$', '$')
    .replaceAll('/etc/beckon/', `${FOLDER}/`)
  // Its files tell whether there are the role and the database, and whether the connection breaks.
  const psql = `#!/bin/sh
    cd ${folder}
    case "$*" in
      *pg_database*) cat database;;
      *pg_roles*) cat role;;
      *-c*) cat database > /dev/null;;
      *ON_ERROR_STOP=1*) [ ! -e broken ] || exit 3; cat;;
      *) exit 1;;
    esac`
  writeFileSync(join(folder, 'psql'), psql)
  chmodSync(join(folder, 'psql'), 0o755)
  const run = (): string =>
    execFileSync('sh', ['-ec', script], {
      env: { PATH: `${folder}:${process.env['PATH']}`, BECKON_PASSWORD: 'letters1' },
      encoding: 'utf8',
    })
  // No primary yet: the container ends with a failure, and is started again.
  assert.throws(run)
  for (const name of ['role', 'database', 'broken']) writeFileSync(join(folder, name), '')
  assert.throws(run)
  rmSync(join(folder, 'broken'))
  const rest = [
    'grant set on parameter session_replication_role to beckon;',
    'grant pg_monitor to beckon;',
    'create database beckon owner beckon;',
  ]
  assert.deepEqual(statements(run()), [`create role beckon login createrole password 'letters1';`, ...rest])
  // The role was made before the connection broke.
  writeFileSync(join(folder, 'role'), '1\n')
  assert.deepEqual(statements(run()), [`alter role beckon login createrole password 'letters1';`, ...rest])
  writeFileSync(join(folder, 'database'), '1\n')
  assert.equal(run(), '')
  // A frozen machine accepts connections and says nothing.
  assert.equal(at(file, 'services', 'database', 'environment', 'PGCONNECT_TIMEOUT'), '5')
  rmSync(folder, { recursive: true })
})

test('the Kubernetes objects find each other', { skip: why ?? false }, () => {
  const [cluster, deployment, service] = parse('kubernetes.yaml')
  assert.deepEqual(
    [cluster, deployment, service].map((page) => [at(page, 'apiVersion'), at(page, 'kind')]),
    [
      ['postgresql.cnpg.io/v1', 'Cluster'],
      ['apps/v1', 'Deployment'],
      ['v1', 'Service'],
    ],
  )
  const labels = at(deployment, 'spec', 'template', 'metadata', 'labels')
  assert.deepEqual(at(deployment, 'spec', 'selector', 'matchLabels'), labels)
  assert.deepEqual(at(service, 'spec', 'selector'), labels)
  const container = at(deployment, 'spec', 'template', 'spec', 'containers', '0')
  const port = at(container, 'ports', '0', 'containerPort')
  assert.equal(at(service, 'spec', 'ports', '0', 'targetPort'), port)
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    assert.equal(at(container, probe, 'httpGet', 'port'), port, probe)
  const [mount, volume] = [
    at(container, 'volumeMounts', '0'),
    at(deployment, 'spec', 'template', 'spec', 'volumes', '0'),
  ]
  assert.equal(at(mount, 'name'), at(volume, 'name'))
  // CloudNativePG keeps the address of the database in a secret that has the name of the cluster.
  const secret = at(container, 'env', '0', 'valueFrom', 'secretKeyRef', 'name')
  assert.equal(secret, `${String(at(cluster, 'metadata', 'name'))}-app`)
  assert.deepEqual(at(cluster, 'spec', 'postgresql', 'synchronous'), {
    method: 'any',
    number: 1,
    dataDurability: 'required',
  })
})

test('HAProxy accepts its file', { skip: why ?? false }, () => {
  const script = 'f=$(mktemp) && cat > $f && haproxy -c -f $f; code=$?; rm $f; exit $code'
  const checked = spawnSync('chroot', [ROOT, 'sh', '-c', script], {
    input: read('haproxy.cfg'),
    encoding: 'utf8',
  })
  assert.equal(checked.status, 0, checked.stderr)
})
