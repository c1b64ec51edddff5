import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const GUARD = join(import.meta.dirname, '../../deploy/cluster/etcd-guard.sh')

/**
 * An etcdctl that lists three members and is asked at the second. The script writes down the moves, and cannot move to the members of
 * `off`. It knows `endpoint status` with field names only, because the columns of 3.6 differ from those of 3.5.
 */
function etcdctl({ leads, off }: Case): string {
  return `#!/bin/sh
    case "$*" in
      'endpoint status --write-out=fields')
        echo '"ClusterID" : 14841639068965178418'
        echo '"MemberID" : 10276657743932975437'
        echo '"Leader" : ${leads ? '10276657743932975437' : '3408551192929268433'}';;
      'member list')
        echo '2f4f20f74d1ac6d1, started, n1, http://10.84.0.11:2380, http://10.84.0.11:2379, false'
        echo '8e9e05c52164694d, started, n2, http://10.84.0.12:2380, http://10.84.0.12:2379, false'
        echo 'b71f75320dc06a6c, started, n3, http://10.84.0.13:2380, http://10.84.0.13:2379, false';;
      move-leader*) echo "$2" >> "$MOVES"; case '${off}' in *"$2"*) exit 1;; esac;;
      *) exit 1;;
    esac`
}

type Case = { readonly leads: boolean; readonly off: string }

/** The members that the guard tried, when Patroni calls it. */
function movesOn(role: string, given: Case): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-etcd-guard-'))
  const moves = join(folder, 'moves')
  writeFileSync(join(folder, 'etcdctl'), etcdctl(given))
  chmodSync(join(folder, 'etcdctl'), 0o755)
  const env = { PATH: `${folder}:${process.env['PATH']}`, MOVES: moves }
  execFileSync('sh', [GUARD, 'on_role_change', role, 'beckon'], { env })
  const tried = existsSync(moves) ? readFileSync(moves, 'utf8').trim().split('\n') : []
  rmSync(folder, { recursive: true })
  return tried
}

test('a new primary whose machine leads etcd moves the leader to another member', () => {
  assert.deepEqual(movesOn('primary', { leads: true, off: '' }), ['2f4f20f74d1ac6d1'])
})

test('a member that cannot take over is passed over', () => {
  const given = { leads: true, off: '2f4f20f74d1ac6d1' }
  assert.deepEqual(movesOn('primary', given), ['2f4f20f74d1ac6d1', 'b71f75320dc06a6c'])
})

test('a new primary whose machine follows in etcd moves nothing', () => {
  assert.deepEqual(movesOn('primary', { leads: false, off: '' }), [])
})

test('a new standby moves nothing', () => {
  assert.deepEqual(movesOn('replica', { leads: true, off: '' }), [])
})
