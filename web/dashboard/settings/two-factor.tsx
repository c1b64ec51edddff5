import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callAuth } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Pill } from '../kit/pill.tsx'
import { refresh } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { ACCOUNT_TEXTS } from './account-texts.ts'
import styles from './page.module.css'
import { SecretNote } from './secret-note.tsx'

type Offer = { readonly uri: string; readonly codes: readonly string[] }

/** A second factor by an authenticator app: begin with the password, end with the first code of the app. */
export function TwoFactor({ isOn }: { readonly isOn: boolean }) {
  const texts = useTexts(ACCOUNT_TEXTS)
  const [password, setPassword] = useState('')
  const [offer, setOffer] = useState<Offer | null>(null)
  const turn = useMutation({
    mutationFn: async () => callAuth(isOn ? '/two-factor/off' : '/two-factor', { password }),
    onSuccess: async (reply) => {
      setPassword('')
      const { totp_uri: uri, recovery_codes: codes } = Object(reply)
      setOffer(
        isOn || typeof uri !== 'string'
          ? null
          : { uri, codes: Array.isArray(codes) ? codes.map(String) : [] },
      )
      await refresh('GET /api/v1/me')
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    turn.mutate()
  }
  return (
    <Card
      title={texts.factor}
      aside={<Pill tone={isOn ? 'ok' : 'plain'}>{isOn ? texts.on : texts.off}</Pill>}
    >
      {offer !== null && !isOn ? (
        <FirstCode offer={offer} />
      ) : (
        <form className={styles.form} onSubmit={submit}>
          <p className="small quiet">{texts.factorHint}</p>
          <PasswordInput
            label={texts.current}
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ 'aria-label': texts.show }}
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {turn.error !== null && <FailureNote error={turn.error} />}
          <div>
            <Button type="submit" loading={turn.isPending}>
              {isOn ? texts.turnOff : texts.turnOn}
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}

function FirstCode({ offer }: { readonly offer: Offer }) {
  const texts = useTexts(ACCOUNT_TEXTS)
  const [code, setCode] = useState('')
  const verify = useMutation({
    mutationFn: async () => callAuth('/two-factor/verify', { code: code.trim() }),
    onSuccess: async () => refresh('GET /api/v1/me'),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    verify.mutate()
  }
  const secret = new URL(offer.uri).searchParams.get('secret') ?? ''
  return (
    <form className={styles.form} onSubmit={submit}>
      <SecretNote text={texts.enterSecret} secret={secret} />
      <SecretNote text={texts.keepCodes} secret={offer.codes.join('  ')} />
      <TextInput
        label={texts.firstCode}
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        withAsterisk={false}
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
      />
      {verify.error !== null && <FailureNote error={verify.error} />}
      <div>
        <Button type="submit" variant="filled" loading={verify.isPending}>
          {texts.finish}
        </Button>
      </div>
    </form>
  )
}
