import { JOURNEY_NOTES, type JourneyNote } from '../../../src/rules/journey-steps.ts'
import { useLanguage } from './texts.tsx'

/** The notes of a journey in German; in English the rules have them. */
const GERMAN: Readonly<Record<JourneyNote, string>> = {
  entered: 'Der Auslöser kam, und die Person trat ein.',
  sent: 'Eine Nachricht wurde zum Senden übergeben.',
  no_live_subscription:
    'Nichts wurde gesendet: Die Person hatte kein erreichbares Gerät dort, wohin der Schritt sendet.',
  quiet_hours: 'Die Sendung wartet, bis die Ruhezeit endet.',
  waiting: 'Die Person wartet hier.',
  waited: 'Das Warten ist vorbei.',
  event_came: 'Das erwartete Ereignis kam.',
  timed_out: 'Das erwartete Ereignis kam nicht rechtzeitig.',
  branch_yes: 'Die Bedingung traf zu, darum ging die Person den Weg Ja.',
  branch_no: 'Die Bedingung traf nicht zu, darum ging die Person den Weg Nein.',
  split: 'Der Person wurde einer der Wege zugelost, für immer.',
  set: 'Das Merkmal oder das Schlagwort wurde gesetzt.',
  not_set:
    'Nichts wurde gesetzt: Das Merkmal ist auf einen anderen Typ festgelegt, oder das Profil hat keinen Platz mehr.',
  called: 'Der Aufruf des Webhooks wurde übergeben.',
  not_called: 'Nichts wurde aufgerufen: Den Webhook gibt es nicht mehr, oder er ist abgeschaltet.',
  skipped: 'Nichts wurde gesendet oder aufgerufen: Die Zeit dafür verging, während alles angehalten war.',
  completed: 'Die Person kam ans Ende.',
  goal: 'Das Zielereignis kam, und die Person ging mit Erfolg.',
  exit_event: 'Das Ereignis zum Verlassen kam, und die Person ging.',
  merged: 'Die Person wurde mit einer vereint, die schon darin war, und geht als diese weiter.',
  archived: 'Der Ablauf wurde archiviert, während die Person darin war.',
  person_gone: 'Das Profil gibt es nicht mehr.',
  too_long: 'Die Person ging so viele Schritte, wie ein Ablauf erlaubt.',
}

/** A note of a journey in the reader's language. One that this page does not know stays in the words of the server. */
export function useJourneyWords(): (note: { readonly code: string; readonly message: string }) => string {
  const { language } = useLanguage()
  return ({ code, message }) => (language === 'de' && isNote(code) ? GERMAN[code] : message)
}

function isNote(code: string): code is JourneyNote {
  return code in JOURNEY_NOTES
}
