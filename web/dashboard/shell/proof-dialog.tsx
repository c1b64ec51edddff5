import { Button, Group, PasswordInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { callAuth } from '../kit/call.ts'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { setProofAsker } from '../kit/proof.ts'
import { useTexts } from '../kit/texts.tsx'

type Answer = (isProven: boolean) => void

/** Asks for the password when a call about a secret needs a fresh proof. One question at a time. */
export function ProofDialog() {
  const { proof } = useTexts(KIT_TEXTS)
  const [answer, setAnswer] = useState<{ readonly give: Answer } | null>(null)
  useEffect(() => {
    setProofAsker(
      async () =>
        new Promise<boolean>((resolve) => {
          setAnswer({ give: resolve })
        }),
    )
    return () => setProofAsker(null)
  }, [])
  const end = (isProven: boolean): void => {
    answer?.give(isProven)
    setAnswer(null)
  }
  return (
    <Dialog opened={answer !== null} onClose={() => end(false)} title={proof.title}>
      {answer !== null && <ProofForm onEnd={end} />}
    </Dialog>
  )
}

function ProofForm({ onEnd }: { readonly onEnd: Answer }) {
  const { proof } = useTexts(KIT_TEXTS)
  const [password, setPassword] = useState('')
  const confirm = useMutation({
    mutationFn: async () => callAuth('/confirm', { password }),
    onSuccess: () => onEnd(true),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <form onSubmit={submit}>
      <p className="small quiet">{proof.text}</p>
      <PasswordInput
        mt={12}
        label={proof.password}
        autoComplete="current-password"
        data-autofocus
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ 'aria-label': proof.show }}
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
      {confirm.error !== null && <FailureNote error={confirm.error} />}
      <Group mt={16} justify="flex-end">
        <Button onClick={() => onEnd(false)}>{proof.cancel}</Button>
        <Button type="submit" variant="filled" loading={confirm.isPending}>
          {proof.go}
        </Button>
      </Group>
    </form>
  )
}
