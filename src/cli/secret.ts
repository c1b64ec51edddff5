import type { Config } from '../config.ts'
import { formatSecret } from '../domain/webhooks/secrets.ts'
import { WEBHOOK_RULES } from '../rules/webhooks.ts'
import { StartError } from '../runtime/errors.ts'
import { randomBits } from '../runtime/secrets/crypto.ts'
import { createSealer, type Sealer } from '../runtime/secrets/sealed.ts'
import { loadSecretFile, makeSecretFile, secretFile } from '../runtime/secrets/secret-file.ts'
import { Database, type Db } from '../store/db.ts'
import { loadMoment } from '../store/push/planning.ts'
import { countLostSecrets, deleteLostSecrets } from '../store/secrets.ts'
import { disableUnsigned, endpointAt, saveSecrets } from '../store/webhooks/endpoints.ts'
import { bad, type Finding, good, type Patient } from './doctor-check.ts'

/** A role never makes a secret: two machines that each made one could not read each other's credentials. */
export async function loadRoleSecret(config: Config, databaseUrl: string): Promise<string> {
  const secret = config.secret ?? (await loadSecretFile(config.dataDir))
  if (secret === null) {
    throw new StartError(
      `There is no secret in ${config.dataDir}: set BECKON_SECRET to the one your other processes use.`,
    )
  }
  const lost = await withDatabase(databaseUrl, async (db) => countLost(db, config, secret))
  if (lost > 0) throw new StartError(lostMessage(config, { secret, lost }))
  return secret
}

/**
 * Makes the secret at the first start. A start whose secret does not open what is stored ends with a sentence, because
 * a new secret in place of a lost one would leave every channel and webhook broken. `isNewAllowed` goes on without them.
 */
export async function prepareSecret(
  config: Config,
  { databaseUrl, isNewAllowed }: { readonly databaseUrl: string; readonly isNewAllowed: boolean },
): Promise<number> {
  const found = config.secret ?? (await loadSecretFile(config.dataDir))
  return withDatabase(databaseUrl, async (database) => {
    const lost = await countLost(database, config, found)
    if (lost > 0 && !isNewAllowed) throw new StartError(lostMessage(config, { secret: found, lost }))
    const secret = found ?? (await makeSecretFile(config.dataDir))
    if (lost > 0)
      await database.asEngine(async (tx) => forgetLost(tx, createSealer(secret, config.oldSecrets)))
    return lost
  })
}

/** The doctor's look at the stored credentials. The engine counts them, because the owner of the tables sees no rows. */
export async function lookAtCredentials({ config }: Patient, databaseUrl: string): Promise<Finding> {
  const secret = config.secret ?? (await loadSecretFile(config.dataDir))
  const lost = await withDatabase(databaseUrl, async (db) => countLost(db, config, secret))
  return lost === 0
    ? good('the secret opens all of them')
    : bad(`${lost} cannot be opened`, lostMessage(config, { secret, lost }))
}

/** The number of stored credentials that this secret and the former ones do not open. */
async function countLost(db: Db, { oldSecrets }: Config, secret: string | null): Promise<number> {
  const secrets = secret === null ? oldSecrets : [secret, ...oldSecrets]
  return countLostSecrets(
    db,
    secrets.map((each) => createSealer(each).keyId),
  )
}

/** An endpoint of a webhook gets a secret that nobody knows yet, so that no call of it is ever unsigned. */
async function forgetLost(tx: Db, sealer: Sealer): Promise<void> {
  const now = await loadMoment(tx)
  for (const place of await deleteLostSecrets(tx, sealer.keyIds)) {
    const ref = endpointAt(place)
    if (ref === null) continue
    const secret = formatSecret(randomBits(WEBHOOK_RULES.secretBytes))
    await saveSecrets(tx, sealer, { ...ref, secrets: [{ secret, expiresAt: null }], now })
    await disableUnsigned(tx, ref, now)
  }
}

type Lost = { readonly secret: string | null; readonly lost: number }

function lostMessage(config: Config, { secret, lost }: Lost): string {
  const file = secretFile(config.dataDir)
  const cause =
    secret === null
      ? `the file ${file} is missing`
      : `${config.secret === null ? file : 'BECKON_SECRET'} is not the secret that encrypted them`
  return [
    `The database has ${lost} encrypted credentials that cannot be opened: ${cause}.`,
    `Put the file back from a backup, or set BECKON_SECRET to the right secret (BECKON_OLD_SECRETS to former ones).`,
    `If the secret is lost for good, bin/beckon start --new-secret goes on without these credentials.`,
  ].join(' ')
}

async function withDatabase<Value>(
  url: string,
  work: (database: Database) => Promise<Value>,
): Promise<Value> {
  const database = new Database({ url, connectionsMax: 1, name: 'beckon secret' })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
