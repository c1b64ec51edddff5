import type { Wake } from './wake.ts'

/** How long it is until work of one kind is due; 0 or less if some is due now. */
export type DueIn = { readonly kind: string; readonly inMs: number }

/** A nudge of the wake of one kind, `afterMs` from now. */
export type Alarm = { readonly kind: string; readonly afterMs: number }

/**
 * The alarms to set after a look at what is due. Work that is due later than the next look, `lookMs` from now, gets its
 * alarm from that look.
 */
export function planAlarms(due: readonly DueIn[], { lookMs }: { readonly lookMs: number }): readonly Alarm[] {
  return due
    .filter(({ inMs }) => inMs <= lookMs)
    .map(({ kind, inMs }) => ({ kind, afterMs: inMs <= 0 ? 0 : Math.ceil(inMs) + MARGIN_MS }))
}

/** A timer may fire a millisecond early. A loop that is woken too early finds nothing. */
const MARGIN_MS = 1

/** Nudges the wakes of loops at the moment at which their work is due. A kind has one alarm, and the last one counts. */
export class Alarms {
  readonly #wakes: ReadonlyMap<string, Wake>
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(wakes: ReadonlyMap<string, Wake>) {
    this.#wakes = wakes
  }

  set(alarms: readonly Alarm[]): void {
    for (const { kind, afterMs } of alarms) {
      const nudge = (): void => this.#wakes.get(kind)?.nudge()
      clearTimeout(this.#timers.get(kind))
      if (afterMs === 0) nudge()
      else this.#timers.set(kind, setTimeout(nudge, afterMs).unref())
    }
  }
}
