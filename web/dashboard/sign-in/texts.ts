import { defineTexts } from '../kit/texts.tsx'

export const SIGN_IN_TEXTS = defineTexts({
  en: {
    title: 'Sign in to Beckon',
    codeTitle: 'One more step',
    email: 'E-mail address',
    password: 'Password',
    show: 'Show the password',
    go: 'Sign in',
    passkey: 'Use a passkey',
    company: 'Use your company account',
    forgotten:
      'Forgot the password? An owner of your brand can make a new link for you under Settings, or the operator with beckon member reset.',
    code: 'Code of your authenticator app',
    recovery: 'A recovery code',
    useRecovery: 'Use a recovery code',
    useApp: 'Use the authenticator app',
  },
  de: {
    title: 'Bei Beckon anmelden',
    codeTitle: 'Noch ein Schritt',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    show: 'Passwort zeigen',
    go: 'Anmelden',
    passkey: 'Passkey verwenden',
    company: 'Mit dem Konto der Firma',
    forgotten:
      'Passwort vergessen? Eine Person, der die Marke gehört, macht unter Einstellungen einen neuen Link für Sie, oder der Betreiber mit beckon member reset.',
    code: 'Code der Authenticator-App',
    recovery: 'Ein Wiederherstellungscode',
    useRecovery: 'Wiederherstellungscode verwenden',
    useApp: 'Authenticator-App verwenden',
  },
})
