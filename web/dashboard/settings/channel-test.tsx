import { Button, Popover, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import styles from './page.module.css'

/** Sends one test message through the channel, now, and tells what the push service said. */
export function ChannelTest({ platform }: { readonly platform: 'android' | 'ios' | 'web' }) {
  const texts = useTexts(CHANNEL_TEXTS)
  const [id, setId] = useState('')
  const test = useWrite(`POST /api/v1/brand/channels/${platform}/test`)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    test.mutate({ body: { subscription_id: id.trim() } })
  }
  const verdict = test.data?.test
  return (
    <Popover width={320} position="bottom-start" trapFocus>
      <Popover.Target>
        <Button>{texts.test}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form className={styles.form} onSubmit={submit}>
          <TextInput
            label={texts.testDevice}
            description={texts.testHint}
            required
            withAsterisk={false}
            value={id}
            onChange={({ currentTarget }) => setId(currentTarget.value)}
          />
          {test.error !== null && <FailureNote error={test.error} />}
          {verdict !== undefined && (
            <p role="status" className="small">
              {texts.verdicts[verdict.verdict]} {verdict.reason}
            </p>
          )}
          <CopyCurl
            endpoint={`POST /api/v1/brand/channels/${platform}/test`}
            input={{ body: { subscription_id: id.trim() } }}
          />
          <Button type="submit" variant="filled" loading={test.isPending}>
            {texts.sendTest}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
