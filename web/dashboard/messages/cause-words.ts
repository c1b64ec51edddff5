import {
  DELIVERY_CAUSES,
  type DeliveryCause,
  type DeliveryCauseName,
} from '../../../src/rules/delivery-causes.ts'
import type { Language } from '../kit/texts.tsx'

type Words = Pick<DeliveryCause, 'cause' | 'cure'>

const GERMAN: Readonly<Record<DeliveryCauseName, Words>> = {
  uninstalled: {
    cause: 'App gelöscht oder Erlaubnis im Browser entzogen',
    cure: 'Nichts: Diese Geräte sind ausgemustert.',
  },
  bad_address: {
    cause: 'Der Push-Dienst kennt das Gerät nicht',
    cure: 'Prüfen Sie, ob App und Zugangsdaten zur selben Umgebung gehören.',
  },
  other_app: {
    cause: 'Gerät gehört zu einer anderen App oder einem anderen Schlüssel',
    cure: 'Prüfen Sie die Zugangsdaten.',
  },
  credential: {
    cause: 'Der Push-Dienst weist die Zugangsdaten ab',
    cure: 'Hinterlegen Sie die Zugangsdaten neu.',
  },
  too_large: {
    cause: 'Nachricht ist zu groß für die Plattform',
    cure: 'Kürzen Sie den Text oder die Daten.',
  },
  text_empty: { cause: 'Text war leer', cure: 'Geben Sie den Feldern im Text einen Ersatzwert.' },
  template_too_costly: {
    cause: 'Die Vorlage war für diese Person zu aufwendig',
    cure: 'Kürzen Sie die Schleifen in der Vorlage.',
  },
  bad_message: {
    cause: 'Der Push-Dienst weist die Nachricht selbst ab',
    cure: 'Sehen Sie sich die zusätzlichen Felder der Nachricht an.',
  },
  throttled: {
    cause: 'Der Push-Dienst bat um weniger Nachrichten',
    cure: 'Nichts: Es wird neu versucht. Ein langsameres Tempo hilft.',
  },
  unwell: {
    cause: 'Der Push-Dienst war gestört',
    cure: 'Nichts: Etwa eine Stunde lang wird neu versucht.',
  },
  network: {
    cause: 'Der Push-Dienst war nicht erreichbar',
    cure: 'Bitten Sie den Betreiber von Beckon, das Netz zu prüfen.',
  },
  private_address: {
    cause: 'Der Push-Dienst des Browsers hat eine private Adresse',
    cure: 'Bitten Sie den Betreiber von Beckon, ihn mit BECKON_PUSH_HOSTS zu erlauben.',
  },
  no_answer: {
    cause: 'Der Push-Dienst hat nicht geantwortet',
    cure: 'Nichts: Vielleicht kam sie an.',
  },
  moved: {
    cause: 'Gerät gehört inzwischen jemand anderem',
    cure: 'Nichts: Sie war für die vorige Person.',
  },
  unsubscribed: { cause: 'Vorher abgemeldet', cure: 'Nichts: Sie möchten keine Nachrichten.' },
  opted_out: {
    cause: 'Hat das Thema abbestellt',
    cure: 'Nichts: Sie möchten keine Nachrichten dieser Art.',
  },
  quiet_hours: {
    cause: 'Es war Ruhezeit',
    cure: 'Senden Sie früher, oder ändern Sie die Ruhezeiten.',
  },
  frequency_cap: {
    cause: 'Hatte an dem Tag schon so viele Nachrichten, wie Sie erlauben',
    cure: 'Erhöhen Sie die Grenze, oder senden Sie an einem anderen Tag.',
  },
  no_sandbox: {
    cause: 'Ein virtuelles Gerät, und keine Sandbox läuft',
    cure: 'Bitten Sie den Betreiber, die Sandbox einzuschalten.',
  },
  stopped: { cause: 'Vorher angehalten', cure: 'Nichts: Jemand aus Ihrem Team hat sie angehalten.' },
  too_late: {
    cause: 'Ihre Zeit war vorbei, bevor sie gesendet werden konnte',
    cure: 'Geben Sie der Nachricht eine längere Lebensdauer.',
  },
}

const CAUSES: readonly (DeliveryCause & { readonly name: DeliveryCauseName })[] = Object.entries(
  DELIVERY_CAUSES,
).flatMap(([text, row]) => {
  const name = isCauseName(text) ? text : null
  return name === null ? [] : [{ ...row, name }]
})

function isCauseName(text: string): text is DeliveryCauseName {
  return Object.hasOwn(DELIVERY_CAUSES, text)
}

export type CauseWords = Words & Pick<DeliveryCause, 'settings'>

/** A reason in plain words. A code that nobody wrote down is shown as it came. */
export function wordsOf(reason: string, language: Language): CauseWords {
  const row = CAUSES.find(({ reasons }) => reasons.includes(reason))
  if (row === undefined) return { cause: reason, cure: '' }
  const { cause, cure } = language === 'de' ? GERMAN[row.name] : row
  return { cause, cure, ...(row.settings === undefined ? {} : { settings: row.settings }) }
}

/** The codes that are Beckon's own begin with a small letter and are no status; the others are the push service's. */
export function isOwnReason(reason: string): boolean {
  return /^[a-z]/.test(reason) && !reason.startsWith('http_')
}
