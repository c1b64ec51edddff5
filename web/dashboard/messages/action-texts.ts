import { defineTexts } from '../kit/texts.tsx'

/** The texts of what can be done with a message. */
export const ACTION_TEXTS = defineTexts({
  en: {
    actions: {
      duplicate: 'Duplicate',
      stop: 'Stop',
      cancel: 'Cancel',
      archive: 'Archive',
      write: 'Go on writing',
      discard: 'Discard',
    },
    stop: {
      title: 'Stop this message',
      waiting: (count: number, shown: string) =>
        count === 1 ? '1 device that waits will not get it.' : `${shown} devices that wait will not get it.`,
      whole: 'Nobody will get it.',
      taken: (count: number, shown: string) =>
        count === 1
          ? '1 message is with the push service already, and cannot be taken back.'
          : `${shown} messages are with the push services already, and cannot be taken back.`,
      keep: 'Keep it',
      go: 'Stop it',
    },
  },
  de: {
    actions: {
      duplicate: 'Duplizieren',
      stop: 'Anhalten',
      cancel: 'Absagen',
      archive: 'Archivieren',
      write: 'Weiterschreiben',
      discard: 'Verwerfen',
    },
    stop: {
      title: 'Diese Nachricht anhalten',
      waiting: (count: number, shown: string) =>
        count === 1
          ? '1 wartendes Gerät bekommt sie dann nicht.'
          : `${shown} wartende Geräte bekommen sie dann nicht.`,
      whole: 'Niemand bekommt sie dann.',
      taken: (count: number, shown: string) =>
        count === 1
          ? '1 Nachricht ist schon beim Push-Dienst und lässt sich nicht zurückholen.'
          : `${shown} Nachrichten sind schon bei den Push-Diensten und lassen sich nicht zurückholen.`,
      keep: 'Weiterlaufen lassen',
      go: 'Anhalten',
    },
  },
})
