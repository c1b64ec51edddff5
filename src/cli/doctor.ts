import { type Config, loadConfig } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { findPostgres } from '../runtime/postgres/start-postgres.ts'
import { defineCommand } from './command.ts'
import { bad, type Check, type Finding, type Patient } from './doctor-check.ts'
import { DATABASE_CHECKS } from './doctor-database.ts'
import { MACHINE_CHECKS } from './doctor-machine.ts'
import { JSON_FLAG } from './pages.ts'
import { columns, say } from './terminal.ts'

/** All checks of the doctor, in order. A new thing that can be wrong gets a row. */
const CHECKS: readonly Check[] = [...MACHINE_CHECKS, ...DATABASE_CHECKS]

const LOOK_MAX_MS = 15_000

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Checks the machine, the database and the channels, and gives advice.',
  about: ['The doctor changes nothing. The exit code is 1 if a problem keeps Beckon from working.'],
  flags: { json: JSON_FLAG },
  run: async ({ json = false }) => {
    const config = loadConfig()
    const rows = await examineAll({ config, databaseUrl: await findDatabase(config) })
    const broken = rows.filter(({ finding }) => finding.state === 'bad').length
    if (json) say(JSON.stringify({ ok: broken === 0, checks: rows.map(checkView) }))
    else say(...reportLines(rows))
    if (broken > 0) throw new StartError(`${broken} of ${rows.length} checks found a problem.`)
  },
})

type Row = { readonly name: string; readonly finding: Finding }

function checkView({ name, finding }: Row): object {
  const { state, detail } = finding
  return { name, state, detail, advice: finding.state === 'good' ? null : finding.advice }
}

function reportLines(rows: readonly Row[]): readonly string[] {
  const advice = rows.flatMap(adviceRow)
  const isBroken = rows.some(({ finding }) => finding.state === 'bad')
  const end = advice.length === 0 ? 'All is well.' : 'Beckon will work; read the warnings.'
  return [
    ...columns(rows.map(({ name, finding }) => [finding.state, name, finding.detail])),
    ...(advice.length > 0 ? ['', 'What to do:', ...columns(advice)] : []),
    ...(isBroken ? [] : ['', end]),
  ]
}

async function examineAll(patient: Patient): Promise<readonly Row[]> {
  const rows: Row[] = []
  const isGood = (name: string): boolean =>
    rows.some((row) => row.name === name && row.finding.state === 'good')
  for (const check of CHECKS) {
    if (check.needs !== undefined && !isGood(check.needs)) continue
    rows.push({ name: check.name, finding: await examine(check, patient) })
  }
  return rows
}

function adviceRow({ name, finding }: Row): readonly (readonly string[])[] {
  return finding.state === 'good' ? [] : [[`  ${name}`, finding.advice]]
}

async function findDatabase(config: Config): Promise<string | null> {
  return config.databaseUrl ?? (await findPostgres(config.dataDir))
}

/** A check that fails or hangs becomes a finding. */
async function examine({ look, lookMsMax = LOOK_MAX_MS }: Check, patient: Patient): Promise<Finding> {
  const late = Promise.withResolvers<Finding>()
  const bound = setTimeout(
    () => late.resolve(bad('no answer', 'Look at its load and its network.')),
    lookMsMax,
  )
  try {
    return await Promise.race([look(patient), late.promise])
  } catch (error) {
    return bad(
      error instanceof Error ? error.message : String(error),
      'Fix the problem that the line above names.',
    )
  } finally {
    clearTimeout(bound)
  }
}
