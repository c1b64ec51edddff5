import { createHash, randomBytes } from 'node:crypto'
import { formatKey, KEY_RANDOM_BYTES } from '../../../src/domain/brand/api-key.ts'
import { KEY_KINDS, type KeyKind, type Scope } from '../../../src/rules/brand.ts'
import type { OwnAuthor } from '../../../src/store/author.ts'
import { createKey } from '../../../src/store/brand/api-keys.ts'
import { ensureBrand } from '../../../src/store/brand/brands.ts'
import { Database, type Db, withOwner } from '../../../src/store/db.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { readMigrations } from '../../../src/store/migration-files.ts'
import { ensureRoles, ROLES } from '../../../src/store/roles.ts'

export type TestBrand = {
  readonly brandId: number
  readonly externalId: string
  readonly secretKey: string
  readonly publishableKey: string
}

export type BrandOptions = { readonly externalId?: string; readonly scopes?: readonly Scope[] }

export type TestDatabase = {
  readonly url: string
  readonly database: Database
  /** A new brand with a name nobody else has, and a key of each kind. */
  readonly brand: (options?: BrandOptions) => Promise<TestBrand>
  readonly drop: () => Promise<void>
}

/** `author`: of changes that name none; null demands an author of every request, as in production. */
export type TestDatabaseOptions = { readonly author?: OwnAuthor | null }

/** A caller waits for a connection for as long as a slow machine needs; the limit only guards against a hang. */
export const PATIENT = { connectTimeoutMs: 5 * 60_000 } as const

/**
 * A database of a test file's own, cloned from a migrated template in a fraction of a migration's time.
 * It lives on the server named by BECKON_TEST_DATABASE_URL; `npm test` starts one.
 */
export async function freshDatabase({ author = 'system' }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const template = await ensureTemplate()
  const name = `test_${randomBytes(8).toString('hex')}`
  // Copies the files of the template, which costs a throwaway server half as much as its pages one by one.
  const sql = `create database ${name} owner ${OWNER} template ${template} strategy file_copy`
  await withOwner(serverUrl(), async (server) => server.query(sql))
  const url = urlOf(name)
  const own = author === null ? {} : { author }
  const database = new Database({ ...PATIENT, ...own, url, connectionsMax: 10, name: 'beckon test' })
  return {
    url,
    database,
    brand: async (options = {}) => makeBrand(database, options),
    drop: async () => {
      await database.close()
      await dropDatabase(name)
    },
  }
}

/** A database with nothing in it, for tests of the migrations themselves. */
export async function emptyDatabase(): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await withOwner(serverUrl(), async (server) => server.query(`create database ${name} template template0`))
  return { url: urlOf(name), drop: async () => dropDatabase(name) }
}

const TEMPLATE_LOCK = 4_207_849_484

/** Named by what it holds, so parallel runs share it; renamed when done, so a half-made one is never used. */
async function ensureTemplate(): Promise<string> {
  const hash = createHash('sha256')
  for (const { sha256 } of readMigrations()) hash.update(sha256)
  const template = `template_${hash.digest('hex').slice(0, 16)}`
  await withOwner(serverUrl(), async (server) => {
    if (await exists(server, template)) return
    await server.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    if (await exists(server, template)) return
    const draft = `draft_${randomBytes(8).toString('hex')}`
    await makeOwner(server)
    await server.query(`create database ${draft} owner ${OWNER} template template0`)
    await migrate(ownedUrlOf(draft))
    await server.query(`alter database ${draft} rename to ${template}`)
  })
  return template
}

/**
 * The owner of the tables is no superuser, as on a server of the operator's own (deploy/cluster/database.sql). What runs with the
 * owner's rights, such as the triggers of rows that a foreign key deletes, is bound by the policies here too.
 */
const OWNER = 'test_owner'

async function makeOwner(server: Db): Promise<void> {
  await ensureRoles(server, urlOf('postgres'))
  await server.query(`do $do$ begin
    if not exists (select from pg_roles where rolname = '${OWNER}') then
      create role ${OWNER} login createrole password '${OWNER}';
    end if;
  end $do$`)
  for (const role of ROLES) await server.query(`grant ${role} to ${OWNER} with set true, inherit false`)
}

async function exists(server: Db, name: string): Promise<boolean> {
  return (await server.query('select from pg_database where datname = $1', [name])).count === 1
}

async function dropDatabase(name: string): Promise<void> {
  await withOwner(serverUrl(), async (server) => server.query(`drop database ${name} with (force)`))
}

function serverUrl(): string {
  const url = process.env['BECKON_TEST_DATABASE_URL']
  if (url === undefined) throw new Error('BECKON_TEST_DATABASE_URL is not set; npm test sets it')
  const patient = new URL(url)
  patient.searchParams.set('connect_timeout', String(PATIENT.connectTimeoutMs / 1000))
  return patient.href
}

function urlOf(name: string): string {
  const url = new URL(serverUrl())
  // No role logins, as on the operator's own server, where a session switches to its role. test/fault/role-logins.test.ts is the other.
  url.search = `?connect_timeout=${PATIENT.connectTimeoutMs / 1000}`
  url.pathname = `/${name}`
  return url.href
}

function ownedUrlOf(name: string): string {
  const url = new URL(urlOf(name))
  ;[url.username, url.password] = [OWNER, OWNER]
  return url.href
}

async function makeBrand(db: Db, options: BrandOptions): Promise<TestBrand> {
  const now = Date.now()
  const externalId = options.externalId ?? `brand-${randomBytes(8).toString('hex')}`
  const { id: brandId } = await ensureBrand(db, { externalId, name: externalId, now })
  const key = async (kind: KeyKind, scopes: readonly Scope[]): Promise<string> => {
    const plaintext = formatKey(kind, randomBytes(KEY_RANDOM_BYTES))
    await createKey(db, { brandId, kind, plaintext, scopes, label: 'test', now })
    return plaintext
  }
  const secretKey = await key('secret', options.scopes ?? KEY_KINDS.secret.scopes)
  const publishableKey = await key('publishable', KEY_KINDS.publishable.scopes)
  return { brandId, externalId, secretKey, publishableKey }
}
