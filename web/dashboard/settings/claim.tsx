import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { SIGN_IN } from '../../../src/rules/sign-in.ts'
import { callAuth } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { refresh } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { ACCOUNT_TEXTS } from './account-texts.ts'
import styles from './page.module.css'

/** The first administrator came in by a link and has no address and no password yet. This form gives both. */
export function Claim() {
  const texts = useTexts(ACCOUNT_TEXTS)
  const [draft, setDraft] = useState({ email: '', name: '', password: '' })
  const claim = useMutation({
    mutationFn: async () => callAuth('/claim', draft),
    onSuccess: async () => refresh('GET /api/v1/me'),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    claim.mutate()
  }
  return (
    <Card title={texts.claim}>
      <form className={styles.form} onSubmit={submit}>
        <p className="small quiet">{texts.claimHint}</p>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={draft.email}
          onChange={({ currentTarget }) => setDraft({ ...draft, email: currentTarget.value })}
        />
        <TextInput
          label={texts.name}
          autoComplete="name"
          value={draft.name}
          onChange={({ currentTarget }) => setDraft({ ...draft, name: currentTarget.value })}
        />
        <PasswordInput
          label={texts.wanted}
          description={texts.claimPassword(SIGN_IN.passwordCharsMin)}
          autoComplete="new-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': texts.show }}
          value={draft.password}
          onChange={({ currentTarget }) => setDraft({ ...draft, password: currentTarget.value })}
        />
        {claim.error !== null && <FailureNote error={claim.error} />}
        <Button type="submit" variant="filled" loading={claim.isPending}>
          {texts.claimGo}
        </Button>
      </form>
    </Card>
  )
}
