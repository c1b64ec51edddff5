import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeUnknownSettings } from '../../src/cli/unknown-settings.ts'
import { describeUnusedSettings } from '../../src/cli/unused-settings.ts'
import { describeSettings, HOME, loadConfig, unknownSettings } from '../../src/config.ts'
import { allowedHosts, namedHosts, providerUrls } from '../../src/delivery/provider-urls.ts'
import { StartError } from '../../src/runtime/errors.ts'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { renderSettings } from '../support/reference/settings-page.ts'

test('an empty environment gives the defaults, and so does an empty value', () => {
  const config = loadConfig({ PORT: '', BECKON_SECRET: '' })
  assert.equal(config.port, 8080)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.dataDir, join(HOME, 'data'))
  assert.equal(config.databaseUrl, null)
  assert.equal(config.secret, null)
})

test('a relative data folder is meant from the folder of Beckon, an absolute one stays', () => {
  assert.equal(loadConfig({ BECKON_DATA_DIR: 'other' }).dataDir, join(HOME, 'other'))
  assert.equal(loadConfig({ BECKON_DATA_DIR: '/var/lib/beckon' }).dataDir, '/var/lib/beckon')
})

const BAD = [
  ['PORT', '65536'],
  ['PORT', '80a'],
  ['PORT', '-1'],
  ['HOST', ' '],
  ['DATABASE_URL', 'mysql://host/db'],
  ['DATABASE_URL', 'nonsense'],
  ['BECKON_DATABASE_CONNECTIONS', '1'],
  ['BECKON_SECRET', 'x'.repeat(31)],
  ['BECKON_API_PROCESSES', '0'],
  ['BECKON_WORKER_PROCESSES', '1.5'],
  ['BECKON_LOG_LEVEL', 'loud'],
] as const

for (const [name, value] of BAD) {
  test(`a bad ${name} (${JSON.stringify(value)}) stops the start and names itself, not its value`, () => {
    assert.throws(
      () => loadConfig({ [name]: value }),
      (error) => {
        assert.ok(error instanceof StartError)
        assert.match(error.message, new RegExp(`^${name} must be `))
        if (value.length > 10) assert.ok(!error.message.includes(value))
        return true
      },
    )
  })
}

test('all bad settings are named at once', () => {
  assert.throws(
    () => loadConfig({ PORT: 'x', BECKON_LOG_LEVEL: 'x' }),
    /PORT must be .*\nBECKON_LOG_LEVEL must be/,
  )
})

test('a brand from the environment needs its key, and its two keys differ', () => {
  const key = 'k'.repeat(16)
  assert.throws(() => loadConfig({ BECKON_BRAND_ID: 'acme' }), /BECKON_API_KEY must be set/)
  assert.throws(() => loadConfig({ BECKON_API_KEY: key }), /BECKON_BRAND_ID must be set/)
  assert.throws(
    () => loadConfig({ BECKON_BRAND_ID: 'acme', BECKON_API_KEY: key, BECKON_PUBLISHABLE_KEY: key }),
    /must differ/,
  )
  assert.equal(loadConfig({ BECKON_BRAND_ID: 'acme', BECKON_API_KEY: key }).brandId, 'acme')
})

test('a variable that looks like a setting and is none is found, with the setting that was probably meant', () => {
  const environment = {
    BECKON_SANBOX: 'off',
    beckon_log_level: 'debug',
    BECKON_NONSENSE: '1',
    BECKON_KEY: 'x',
    HOST: 'a',
  }
  assert.deepEqual(describeUnknownSettings(unknownSettings(environment)), [
    'BECKON_SANBOX is not a setting and has no effect. Did you mean BECKON_SANDBOX?',
    'beckon_log_level is not a setting and has no effect. Did you mean BECKON_LOG_LEVEL?',
    'BECKON_NONSENSE is not a setting and has no effect. See bin/beckon help settings.',
  ])
})

test('a standby for reads that the days of rows switch off is found, and neither alone', () => {
  const [reads, days] = [{ databaseReadUrl: 'postgres://standby/beckon' }, { eventRowsDays: 90 }]
  const none = { databaseReadUrl: null, eventRowsDays: null }
  const [sentence = '', ...more] = describeUnusedSettings({ ...reads, ...days })
  assert.match(sentence, /^BECKON_DATABASE_READ_URL has no effect while BECKON_EVENT_ROWS_DAYS is set: /)
  assert.deepEqual(more, [])
  for (const given of [{ ...none, ...reads }, { ...none, ...days }, none])
    assert.deepEqual(describeUnusedSettings(given), [])
})

test('a placeholder of compose.yaml or of the guides is no key, and the start says so', () => {
  const compose = readFileSync(join(HOME, 'compose.yaml'), 'utf8')
  const [, placeholder = ''] = /BECKON_API_KEY: (\S+)/.exec(compose) ?? []
  for (const key of [placeholder, 'bk_secret_...............', 'CHANGE_ME_CHANGE_ME_']) {
    assert.throws(
      () => loadConfig({ BECKON_BRAND_ID: 'acme', BECKON_API_KEY: key }),
      /BECKON_API_KEY must be a long random value of your own instead of a placeholder/,
    )
  }
})

const STORE = {
  BECKON_EVENT_FILES_URL: 's3://bucket/some/prefix/',
  BECKON_EVENT_FILES_KEY_ID: 'AKIA',
  BECKON_EVENT_FILES_SECRET_KEY: 'a long secret key',
}

test('a bucket for event files needs its keys, and is no folder at the same time', () => {
  const { eventFilesUrl, eventFilesEndpoint } = loadConfig({
    ...STORE,
    BECKON_EVENT_FILES_ENDPOINT: 'http://10.0.0.7:9000/',
  })
  assert.deepEqual(eventFilesUrl, { bucket: 'bucket', prefix: 'some/prefix' })
  assert.equal(eventFilesEndpoint, 'http://10.0.0.7:9000')
  assert.throws(
    () => loadConfig({ ...STORE, BECKON_EVENT_FILES_KEY_ID: '' }),
    /BECKON_EVENT_FILES_URL needs BECKON_EVENT_FILES_KEY_ID and BECKON_EVENT_FILES_SECRET_KEY/,
  )
  assert.throws(() => loadConfig({ ...STORE, BECKON_EVENT_FILES_DIR: '/files' }), /Only one of/)
  for (const url of ['https://bucket', 's3://B/x', 's3://bucket/../x', 's3://bucket//x', 's3://bucket/a?b']) {
    assert.throws(
      () => loadConfig({ ...STORE, BECKON_EVENT_FILES_URL: url }),
      /BECKON_EVENT_FILES_URL must be/,
    )
  }
  assert.throws(
    () => loadConfig({ ...STORE, BECKON_EVENT_FILES_ENDPOINT: 'http://user:pass@host' }),
    (error) =>
      error instanceof Error && /ENDPOINT must be/.test(error.message) && !error.message.includes('pass'),
  )
})

test('docs/settings.md is what the table of settings renders', () => {
  assert.equal(readFileSync(join(HOME, 'docs/settings.md'), 'utf8'), renderSettings(describeSettings()))
})

function proxyOf(text: string) {
  return loadConfig({ BECKON_HTTPS_PROXY: text }).httpsProxy
}

test('a proxy is read with its name and password, which are told to nobody', () => {
  assert.deepEqual(proxyOf('http://proxy.example:3128'), {
    host: 'proxy.example',
    port: 3128,
    authorization: null,
  })
  const basic = `Basic ${Buffer.from('us er:p@ss%zz').toString('base64')}`
  assert.deepEqual(proxyOf('http://us%20er:p%40ss%25zz@[::1]'), {
    host: '::1',
    port: 80,
    authorization: basic,
  })
  assert.equal(
    proxyOf('http://a%zz:b@proxy.example')?.authorization,
    `Basic ${Buffer.from('a%zz:b').toString('base64')}`,
  )
  for (const bad of [
    'https://proxy.example',
    'socks5://user:hunter2@proxy',
    'http://proxy/path',
    'proxy:3128',
  ]) {
    assert.throws(
      () => proxyOf(bad),
      (error) =>
        error instanceof StartError &&
        error.message.startsWith('BECKON_HTTPS_PROXY must be ') &&
        !error.message.includes('hunter2'),
    )
  }
})

test('the certificates of a private CA are read at the start, and a bad file stops it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-ca-'))
  const [one, two] = [makeCertificate(Date.now()).cert, makeCertificate(Date.now()).cert]
  const file = join(folder, 'ca.pem')
  const read = () => loadConfig({ BECKON_PROVIDER_CA_FILE: file }).providerCa
  await writeFile(file, `# our CA\n${one}\n${two}`)
  assert.deepEqual(read(), [one.trim(), two.trim()])
  for (const bad of ['', 'no certificate', one.replace(/[A-Z]{4}/, '!!!!'), one.slice(0, 200)]) {
    await writeFile(file, bad)
    assert.throws(read, /BECKON_PROVIDER_CA_FILE must be the path of a file with certificates/)
  }
  await rm(folder, { recursive: true })
  assert.throws(read, StartError)
})

test('each environment of Apple has an address of its own', () => {
  const config = loadConfig({ BECKON_APNS_SANDBOX_ORIGIN: 'https://apns.internal:8443' })
  assert.deepEqual(providerUrls(config).apns, {
    production: 'https://api.push.apple.com',
    sandbox: 'https://apns.internal:8443',
  })
  assert.deepEqual(allowedHosts(config), ['apns.internal:8443'])
  assert.deepEqual(namedHosts(config), [
    'fcm.googleapis.com:443',
    'oauth2.googleapis.com:443',
    'api.push.apple.com:443',
    'apns.internal:8443',
    'apns.internal:8443',
  ])
})

test('push hosts are read with or without a port, in small letters', () => {
  const { pushHosts } = loadConfig({ BECKON_PUSH_HOSTS: 'Push.example.org, localhost:8443' })
  assert.deepEqual(pushHosts, ['push.example.org', 'localhost:8443'])
  assert.throws(
    () => loadConfig({ BECKON_PUSH_HOSTS: 'https://push.example.org' }),
    /BECKON_PUSH_HOSTS must be/,
  )
})

test('a host that webhooks may call is named with its port', () => {
  for (const given of ['127.0.0.1', 'a:0', 'a:65536', 'a:1:2', '::1:80', 'http://a:80']) {
    assert.throws(() => loadConfig({ BECKON_WEBHOOK_HOSTS: given }), /BECKON_WEBHOOK_HOSTS must be/, given)
  }
})
