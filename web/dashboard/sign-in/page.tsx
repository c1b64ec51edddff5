import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useSearchWords } from '../kit/address.tsx'
import { callAuth } from '../kit/call.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { askPasskey } from '../kit/passkey.ts'
import { useTexts } from '../kit/texts.tsx'
import { CodeForm } from './code-form.tsx'
import styles from './page.module.css'
import { SIGN_IN_TEXTS } from './texts.ts'

/** The sign-in: a password and perhaps a code, a passkey, or the identity provider of the company. */
export function SignInPage() {
  const texts = useTexts(SIGN_IN_TEXTS)
  const [words] = useSearchWords()
  const [needsCode, setNeedsCode] = useState(false)
  useEffect(() => {
    document.title = `${texts.title} · Beckon`
  }, [texts.title])
  const enter = (): void => location.assign(safeAddress(words['to']))
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <span className={styles.mark} />
        <h1>{needsCode ? texts.codeTitle : texts.title}</h1>
        {needsCode ? (
          <CodeForm onEnter={enter} />
        ) : (
          <PasswordForm onEnter={enter} onCode={() => setNeedsCode(true)}>
            <OtherWays onEnter={enter} />
          </PasswordForm>
        )}
      </div>
    </main>
  )
}

/** Only addresses of this dashboard: a link of a stranger must not lead elsewhere after the sign-in. */
function safeAddress(wanted = '/'): string {
  const url = URL.parse(wanted, location.origin)
  const isOwn = url !== null && url.origin === location.origin && !url.pathname.startsWith('/sign-in')
  return isOwn ? `${url.pathname}${url.search}${url.hash}` : '/'
}

type PasswordFormProps = {
  readonly onEnter: () => void
  readonly onCode: () => void
  readonly children: ReactNode
}

function PasswordForm({ onEnter, onCode, children }: PasswordFormProps) {
  const texts = useTexts(SIGN_IN_TEXTS)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: async () => callAuth('/sign-in', { email: email.trim(), password }),
    onSuccess: (reply) => (Object(reply).two_factor === true ? onCode() : onEnter()),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    signIn.mutate()
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label={texts.email}
        type="email"
        autoComplete="username webauthn"
        required
        withAsterisk={false}
        data-autofocus
        value={email}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
      />
      <PasswordInput
        label={texts.password}
        autoComplete="current-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ 'aria-label': texts.show }}
        value={password}
        onChange={({ currentTarget: { value } }) => setPassword(value)}
      />
      {signIn.error !== null && <FailureNote error={signIn.error} />}
      <Button type="submit" variant="filled" fullWidth loading={signIn.isPending}>
        {texts.go}
      </Button>
      {children}
      <p className="tiny faint">{texts.forgotten}</p>
    </form>
  )
}

function OtherWays({ onEnter }: { readonly onEnter: () => void }) {
  const texts = useTexts(SIGN_IN_TEXTS)
  const passkey = useMutation({ mutationFn: askPasskey, onSuccess: onEnter })
  const company = useMutation({
    mutationFn: async () => callAuth('/sign-in/oidc', null),
    onSuccess: (reply) => location.assign(String(Object(reply).url)),
  })
  const hasCompany = document.querySelector('meta[name=beckon-oidc]') !== null
  const error = passkey.error ?? company.error
  return (
    <>
      <Button fullWidth onClick={() => passkey.mutate()} loading={passkey.isPending}>
        {texts.passkey}
      </Button>
      {hasCompany && (
        <Button fullWidth onClick={() => company.mutate()} loading={company.isPending}>
          {texts.company}
        </Button>
      )}
      {error !== null && <FailureNote error={error} />}
    </>
  )
}
