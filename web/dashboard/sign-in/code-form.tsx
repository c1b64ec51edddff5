import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { callAuth } from '../kit/call.ts'
import { FailureNote } from '../kit/failure-note.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './page.module.css'
import { SIGN_IN_TEXTS } from './texts.ts'

/** The second step: the code of the authenticator app, or a recovery code when the app is lost. */
export function CodeForm({ onEnter }: { readonly onEnter: () => void }) {
  const texts = useTexts(SIGN_IN_TEXTS)
  const [code, setCode] = useState('')
  const [isRecovery, setIsRecovery] = useState(false)
  const send = useMutation({
    mutationFn: async () =>
      callAuth(isRecovery ? '/sign-in/recovery-code' : '/sign-in/code', { code: code.trim() }),
    onSuccess: onEnter,
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send.mutate()
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label={isRecovery ? texts.recovery : texts.code}
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        required
        withAsterisk={false}
        autoFocus
        value={code}
        onChange={({ currentTarget: { value } }) => setCode(value)}
      />
      {send.error !== null && <FailureNote error={send.error} />}
      <Button type="submit" variant="filled" fullWidth loading={send.isPending}>
        {texts.go}
      </Button>
      <Button variant="subtle" color="gray" onClick={() => setIsRecovery(!isRecovery)}>
        {isRecovery ? texts.useApp : texts.useRecovery}
      </Button>
    </form>
  )
}
