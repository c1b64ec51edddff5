import { defineTexts } from '../kit/texts.tsx'

/** The texts of the list of people behind a number. */
export const COUNTED_TEXTS = defineTexts({
  en: {
    title: 'Whom it counts',
    person: 'Person',
    group: 'Group',
    clicked: 'Clicked',
    events: 'Goal events',
    value: 'Value',
    variant: (name: string) => `Variant ${name}`,
    groups: { sent: 'Got it', held_out: 'Held out', control: 'Control group' },
    did: {
      clicked: 'clicked',
      reached: 'reached the goal in time',
      converted: 'reached the goal through it',
    },
    lone: 'Device without a person',
    gone: 'Erased',
    all: 'All devices',
    drop: (words: string) => `No longer only: ${words}`,
    none: 'Nobody is in this list.',
    noneText: 'The rows of a message that is long over are deleted; its numbers stay.',
  },
  de: {
    title: 'Wer gezählt wird',
    person: 'Person',
    group: 'Gruppe',
    clicked: 'Geklickt',
    events: 'Ziel-Ereignisse',
    value: 'Wert',
    variant: (name: string) => `Variante ${name}`,
    groups: { sent: 'Bekam sie', held_out: 'Zurückgehalten', control: 'Kontrollgruppe' },
    did: {
      clicked: 'hat geklickt',
      reached: 'hat das Ziel rechtzeitig erreicht',
      converted: 'hat das Ziel durch sie erreicht',
    },
    lone: 'Gerät ohne Person',
    gone: 'Gelöscht',
    all: 'Alle Geräte',
    drop: (words: string) => `Nicht mehr nur: ${words}`,
    none: 'Niemand steht auf dieser Liste.',
    noneText: 'Die Zeilen einer Nachricht, die lange vorbei ist, werden gelöscht; ihre Zahlen bleiben.',
  },
})
