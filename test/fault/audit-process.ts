import { randomUUID } from 'node:crypto'
import { Database } from '../../src/store/db.ts'
import { archiveTopic, createTopic } from '../../src/store/preferences/topics.ts'
import { PATIENT } from '../support/database/database.ts'

/** Makes and archives topics without end, several at a time, as requests of a key do; to be killed. */
const [url = '', brand = ''] = process.argv.slice(2)
const database = new Database({ ...PATIENT, url, connectionsMax: 4, name: 'beckon test changes' })
const brandId = Number(brand)
const caller = { brandId, actor: { type: 'key', keyId: 1, kind: 'secret' } } as const

async function change(): Promise<never> {
  for (;;) {
    const name = randomUUID()
    const request = { id: name, network: '127.0.0.1', caller }
    const now = Date.now()
    await database.asCaller(request, async (tx) => {
      await createTopic(tx, { brandId, name, title: name, description: '', now })
      await archiveTopic(tx, { brandId, name, now })
    })
  }
}

void Promise.all([change(), change(), change(), change()])
process.stdout.write('ready\n')
