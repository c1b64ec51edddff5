import { type Config, loadConfig } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { findPostgres } from '../runtime/postgres/start-postgres.ts'
import { defineCommand } from './command.ts'
import { bad, type Check, type Finding, type Patient } from './doctor-check.ts'
import { DATABASE_CHECKS } from './doctor-database.ts'
import { MACHINE_CHECKS } from './doctor-machine.ts'
import { columns, say } from './terminal.ts'

/** Everything the doctor looks at, in order. Whoever adds something that can be wrong adds its row. */
const CHECKS: readonly Check[] = [...MACHINE_CHECKS, ...DATABASE_CHECKS]

const LOOK_MAX_MS = 15_000

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Looks at the machine, the database and the channels, and says what to do.',
  about: ['It changes nothing. It ends with code 1 if something keeps Beckon from working.'],
  flags: {},
  run: async () => {
    const config = loadConfig()
    const rows = await examineAll({ config, databaseUrl: await findDatabase(config) })
    say(...columns(rows.map(({ name, finding }) => [finding.state, name, finding.detail])))
    const advice = rows.flatMap(adviceRow)
    if (advice.length > 0) say('', 'What to do:', ...columns(advice))
    const broken = rows.filter(({ finding }) => finding.state === 'bad').length
    if (broken > 0) throw new StartError(`${broken} of ${rows.length} checks found something to mend.`)
    say('', advice.length === 0 ? 'All is well.' : 'It will work; the warnings are worth a look.')
  },
})

type Row = { readonly name: string; readonly finding: Finding }

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

/** The doctor's job is to tell, so a look that fails becomes a finding. */
async function examine({ look }: Check, patient: Patient): Promise<Finding> {
  const late = Promise.withResolvers<Finding>()
  const bound = setTimeout(
    () => late.resolve(bad('no answer', 'Look at its load and its network.')),
    LOOK_MAX_MS,
  )
  try {
    return await Promise.race([look(patient), late.promise])
  } catch (error) {
    return bad(error instanceof Error ? error.message : String(error), 'Mend what the line above says.')
  } finally {
    clearTimeout(bound)
  }
}
