import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { chooseLaunch } from '../../src/runtime/postgres/launch.ts'
import { PUBLIC_FOLDER } from '../../src/runtime/postgres/public-copy.ts'
import { withOwner } from '../../src/store/db.ts'
import {
  onDataFolder,
  readStarted,
  START_PROGRAM,
  type Started,
  start,
  startElsewhere,
} from '../support/database/data-folder.ts'
import { spawnWithoutNamespaces } from '../support/database/no-namespaces.ts'

const NOBODY = { uid: 65_534, gid: 65_534 } as const
const ALL_USERS = 65_536

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const needsRoot = isRoot ? false : 'only root can act as somebody else'

/** Containers often forbid namespaces; there, all the other tests run PostgreSQL as nobody. */
const needsNamespaces =
  needsRoot || (spawnSync('unshare', ['--user', 'true']).status !== 0 && 'user namespaces are forbidden here')

/** A clone in root's home is closed to other users, who then cannot run it either. */
function needsOpenClone(): string | false {
  if (needsRoot !== false) return needsRoot
  const { status } = spawnSync(process.execPath, ['--check', START_PROGRAM], NOBODY)
  return status === 0 ? false : 'this clone lies where other users cannot reach it'
}

async function startWithoutNamespaces(dataDir: string, users = ALL_USERS): Promise<Started> {
  return readStarted(await spawnWithoutNamespaces(users, [process.execPath, START_PROGRAM, dataDir]))
}

async function ownerOf({ pid }: { readonly pid: number }): Promise<number> {
  return (await stat(`/proc/${pid}`)).uid
}

test('root runs PostgreSQL in a namespace, with data in a folder closed to others', {
  skip: needsNamespaces,
}, async () => {
  await onDataFolder(async (dataDir) => {
    const server = await start(dataDir)
    assert.equal(await ownerOf(server), 0)
    assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700)
  })
})

test('root without namespaces runs PostgreSQL as nobody, with data in a closed folder', {
  skip: needsNamespaces,
}, async () => {
  await onDataFolder(async (dataDir) => {
    const server = await startWithoutNamespaces(dataDir)
    assert.equal(await ownerOf(server), NOBODY.uid)
    assert.equal((await stat(join(dataDir, 'postgres'))).uid, NOBODY.uid)
    const { count } = await withOwner(server.url, async (owner) => owner.query('select 1'))
    assert.equal(count, 1)
  })
})

test('data made in a namespace changes hands where namespaces are forbidden, and stays there', {
  skip: needsNamespaces,
}, async () => {
  await onDataFolder(async (dataDir) => {
    const first = await start(dataDir)
    await withOwner(first.url, async (owner) => owner.query('create table kept (id int)'))
    await first.stop()

    const second = await startWithoutNamespaces(dataDir)
    assert.equal(await ownerOf(second), NOBODY.uid)
    await withOwner(second.url, async (owner) => owner.query('select id from kept'))
    const adopted = await start(dataDir)
    assert.equal(adopted.pid, second.pid)
    await adopted.stop()

    const third = await start(dataDir)
    assert.equal(await ownerOf(third), NOBODY.uid)
    await withOwner(third.url, async (owner) => owner.query('select id from kept'))
  })
})

test('root with neither namespaces nor another user says so in one sentence', {
  skip: needsNamespaces,
}, async () => {
  await onDataFolder(async (dataDir) => {
    await assert.rejects(
      startWithoutNamespaces(dataDir, 1),
      /PostgreSQL cannot run here .*start Beckon as an ordinary user/,
    )
  })
})

test('programs that another user cannot reach are copied to where it can', { skip: needsRoot }, async () => {
  const home = await mkdtemp(join(tmpdir(), 'beckon-closed-'))
  const release = `test-${randomUUID()}`
  const place = join(PUBLIC_FOLDER, `postgresql-${release}`)
  try {
    await mkdir(join(home, 'native/bin'), { recursive: true })
    await writeFile(join(home, 'native/bin/postgres'), '#!/bin/sh\n', { mode: 0o755 })
    await mkdir(join(home, 'postgres'))
    await chown(join(home, 'postgres'), NOBODY.uid, NOBODY.gid)
    const launch = await chooseLaunch({ home: join(home, 'native'), release }, join(home, 'postgres'))
    assert.equal(launch.home, place)
    assert.equal(launch.account?.uid, NOBODY.uid)
  } finally {
    await rm(home, { recursive: true, force: true })
    await rm(place, { recursive: true, force: true })
  }
})

test('an ordinary user runs PostgreSQL as himself', { skip: needsOpenClone() }, async () => {
  const home = await mkdtemp(join(tmpdir(), 'beckon-ordinary-'))
  try {
    await chown(home, NOBODY.uid, NOBODY.gid)
    const server = await startElsewhere(join(home, 'data'), NOBODY)
    assert.equal(await ownerOf(server), NOBODY.uid)
    const adopted = await start(join(home, 'data'))
    assert.equal(adopted.pid, server.pid)
    await adopted.stop()
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})

test('an ordinary user is told when the folder or the database is not his', {
  skip: needsOpenClone(),
}, async () => {
  const home = await mkdtemp(join(tmpdir(), 'beckon-ordinary-'))
  try {
    await chmod(home, 0o755)
    await assert.rejects(
      startElsewhere(join(home, 'data'), NOBODY),
      /data folder .* cannot be written \(EACCES\)/,
    )
    await mkdir(join(home, 'data/postgres'), { recursive: true })
    await chown(join(home, 'data'), NOBODY.uid, NOBODY.gid)
    await assert.rejects(
      startElsewhere(join(home, 'data'), NOBODY),
      /belongs to user id 0: start Beckon as that user/,
    )
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
