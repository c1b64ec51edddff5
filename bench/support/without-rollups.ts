/**
 * A module to import before Beckon starts: the same Beckon, but its statements write no changes of series and its
 * counting adds no events to them. The text of these files takes the place of the real one.
 */
import { registerHooks } from 'node:module'

const INSTEAD: Readonly<Record<string, string>> = {
  '/src/store/series/changes.ts': `const nothing = () => 'select'
    export { nothing as deliverySeriesSql, nothing as endedSeriesSql, nothing as receiptSeriesSql, nothing as journeySeriesSql }
    export const NOTIFICATION_PARTS = 'n.platform'`,
  '/src/store/series/events.ts': `export const eventSeriesSql = () => ''
    export const elsewhereSql = () => '0'
    export async function countSpreadPeople() {}
    export async function countListedPeople() {}`,
}

registerHooks({
  load: (url, context, next) => {
    const instead = Object.entries(INSTEAD).find(([path]) => url.endsWith(path))
    if (instead === undefined) return next(url, context)
    return { format: 'module', source: instead[1], shortCircuit: true }
  },
})
