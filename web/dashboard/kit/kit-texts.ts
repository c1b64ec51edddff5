import { defineTexts } from './texts.tsx'

/** The texts of the shared pieces. */
export const KIT_TEXTS = defineTexts({
  en: {
    failure: {
      away: 'The server does not answer. It may be restarting; what is on this page stays.',
      request: 'Quote this id when you ask for help:',
      retry: 'Try again',
    },
    updated: { text: 'Beckon was updated. This needs the page to be loaded again.', reload: 'Load again' },
    curl: { copy: 'Copy as curl', copied: 'Copied' },
    exact: 'exact',
    estimated: 'estimated',
    live: 'exact, live',
    asOf: (time: string) => `as of ${time}`,
    undo: 'Undo',
    close: 'Close',
    more: 'Show more',
    justNow: 'just now',
    loading: 'Loading',
    proof: {
      title: 'Prove that it is you',
      text: 'This shows or changes a secret, so Beckon asks for your password again.',
      password: 'Password',
      show: 'Show the password',
      go: 'Go on',
      cancel: 'Cancel',
    },
  },
  de: {
    failure: {
      away: 'Der Server antwortet nicht. Vielleicht startet er neu; was auf dieser Seite steht, bleibt.',
      request: 'Nennen Sie diese Kennung, wenn Sie um Hilfe bitten:',
      retry: 'Noch einmal',
    },
    updated: {
      text: 'Beckon wurde aktualisiert. Dafür muss die Seite neu geladen werden.',
      reload: 'Neu laden',
    },
    curl: { copy: 'Als curl kopieren', copied: 'Kopiert' },
    exact: 'genau',
    estimated: 'geschätzt',
    live: 'genau, live',
    asOf: (time: string) => `Stand ${time}`,
    undo: 'Rückgängig',
    close: 'Schließen',
    more: 'Mehr zeigen',
    justNow: 'gerade eben',
    loading: 'Lädt',
    proof: {
      title: 'Zeigen Sie, dass Sie es sind',
      text: 'Hier geht es um ein Geheimnis, darum fragt Beckon noch einmal nach Ihrem Passwort.',
      password: 'Passwort',
      show: 'Passwort zeigen',
      go: 'Weiter',
      cancel: 'Abbrechen',
    },
  },
})
