import { CHECKS } from '../../../src/rules/checks.ts'
import { GERMAN_FINDINGS, germanValue } from './check-findings-de.ts'
import { defineTexts } from './texts.tsx'

/** The names of the checks between a message and a person, their rules, and their results. */
export const CHECK_TEXTS = defineTexts({
  en: {
    names: {
      person: 'Is known',
      launched: 'Is launched',
      device: 'Has a device for it',
      subscribed: 'Is subscribed on a device',
      audience: 'Is in the audience',
      latest_device: 'On the device that was used last',
      group: 'Is not held out',
      due: 'Is due in time',
      topic: 'Wants this kind of message',
      quiet_hours: 'Outside quiet hours',
      frequency_cap: 'Room under the daily cap',
      channel: 'The channel can send',
      sending: 'Sending is not held',
      approval: 'Needs no further consent',
      handed_over: 'Handed to the push service',
      shown: 'Shown on a device',
      clicked: 'Tapped',
    },
    rules: CHECKS,
    results: { passed: 'Passed', waits: 'Waits', failed: 'Stopped here', not_reached: 'Not reached' },
    rule: 'The rule:',
    until: (time: string) => `until ${time}`,
    wouldReach: 'If it was launched now, it would reach the person.',
    wouldStop: 'If it was launched now, it would not reach the person.',
  },
  de: {
    names: {
      person: 'Ist bekannt',
      launched: 'Ist gestartet',
      device: 'Hat ein Gerät dafür',
      subscribed: 'Ist auf einem Gerät angemeldet',
      audience: 'Ist unter den Empfängern',
      latest_device: 'Auf dem zuletzt benutzten Gerät',
      group: 'Ist nicht zurückgehalten',
      due: 'Ist rechtzeitig fällig',
      topic: 'Wünscht diese Art Nachricht',
      quiet_hours: 'Außerhalb der Ruhezeit',
      frequency_cap: 'Platz unter der Tagesgrenze',
      channel: 'Der Kanal kann senden',
      sending: 'Der Versand ist nicht angehalten',
      approval: 'Braucht keine weitere Zustimmung',
      handed_over: 'Dem Push-Dienst übergeben',
      shown: 'Auf einem Gerät gezeigt',
      clicked: 'Angetippt',
    },
    rules: {
      person: 'Die Person ist unter der Benutzer-Id bekannt.',
      launched: 'Die Kampagne ist gestartet.',
      device: 'Die Person hat ein Gerät auf einer Plattform der Nachricht.',
      subscribed:
        'Die Anmeldung des Geräts gilt. Ein Rundversand lässt virtuelle Geräte aus, wenn sie nicht gewählt sind.',
      audience: 'Das Gerät und seine Person sind unter den Empfängern.',
      latest_device: 'Nur das zuletzt benutzte Gerät bekommt die Nachricht, wenn das so gewählt ist.',
      group: 'Die Person ist in keiner Gruppe, die zum Vergleich nichts bekommt.',
      due: 'Die Nachricht ist fällig, bevor sie abläuft.',
      topic: 'Weder die Person noch das Gerät hat das Thema oder alles abbestellt.',
      quiet_hours: 'Die Nachricht ist nach der Uhr des Geräts nicht in der Ruhezeit der Marke fällig.',
      frequency_cap: 'Die Person hat an dem Tag weniger Nachrichten bekommen, als die Marke erlaubt.',
      channel: 'Der Kanal der Plattform kann senden.',
      sending: 'Der Betreiber hält den Versand nicht an.',
      approval:
        'Ein Start für mehr Personen als erlaubt, oder durch einen Autor, braucht eine zweite Zustimmung.',
      handed_over: 'Der Push-Dienst nimmt die Nachricht an.',
      shown: 'Ein Gerät meldet, dass es die Nachricht gezeigt hat.',
      clicked: 'Die Person tippt die Nachricht an.',
    },
    results: {
      passed: 'Bestanden',
      waits: 'Wartet',
      failed: 'Hier war Schluss',
      not_reached: 'Nicht erreicht',
    },
    rule: 'Die Regel:',
    until: (time: string) => `bis ${time}`,
    wouldReach: 'Jetzt gestartet, würde sie die Person erreichen.',
    wouldStop: 'Jetzt gestartet, würde sie die Person nicht erreichen.',
  },
})

/** The sentences of findings by language, and their values in words; the server's own sentence where there is none. */
export const FINDINGS: Readonly<Record<'en' | 'de', Findings>> = {
  en: { sentences: {}, valueOf: (value) => value },
  de: { sentences: GERMAN_FINDINGS, valueOf: germanValue },
}

type Findings = {
  readonly sentences: Readonly<Record<string, string | undefined>>
  readonly valueOf: (value: string) => string
}
