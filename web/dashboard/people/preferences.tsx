import { Switch } from '@mantine/core'
import { TRANSACTIONAL } from '../../../src/rules/topics.ts'
import type { Topic } from '../../client/api/common.ts'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useRead, useWrite } from '../kit/queries.ts'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import styles from './devices.module.css'
import { PEOPLE_TEXTS } from './texts.ts'

const CHANGE = 'PUT /api/v1/user/preferences'

/** The topics, and which of them the person opted out of. A switch is its own undo. */
export function Preferences({ userId }: { readonly userId: string }) {
  const { person: texts } = useTexts(PEOPLE_TEXTS)
  const { data } = useRead('GET /api/v1/user/preferences', { query: { userID: userId } })
  const mayChange = useMay('profiles')
  const write = useWrite(CHANGE, {
    refreshes: ['GET /api/v1/user/preferences', 'GET /api/v1/users/{user_id}/timeline'],
  })
  const topics = data?.preferences.topics ?? []
  if (topics.length === 0) return null
  const bodyWith = (name: string, isOn: boolean) => ({
    userID: userId,
    opt_outs: topics
      .filter((topic) => topic.name !== TRANSACTIONAL && !(topic.name === name ? isOn : topic.is_on))
      .map((topic) => topic.name),
  })
  const input = { body: bodyWith('', true) }
  return (
    <Card title={texts.preferences} aside={mayChange && <CopyCurl endpoint={CHANGE} input={input} />}>
      <ul className={styles.devices}>
        {topics.map((topic) => (
          <li key={topic.name} className={topic.is_on ? undefined : styles.off}>
            {mayChange && topic.name !== TRANSACTIONAL ? (
              <Switch
                size="xs"
                label={<Words topic={topic} />}
                checked={topic.is_on}
                disabled={write.isPending}
                onChange={({ currentTarget }) =>
                  write.mutate({ body: bodyWith(topic.name, currentTarget.checked) })
                }
              />
            ) : (
              <Words topic={topic} />
            )}
          </li>
        ))}
      </ul>
      {write.error !== null && <FailureNote error={write.error} />}
    </Card>
  )
}

function Words({ topic: { name, title, is_on: isOn, opted_out_at: since } }: { readonly topic: Topic }) {
  const { person: texts } = useTexts(PEOPLE_TEXTS)
  const { language } = useLanguage()
  return (
    <span>
      {title === '' ? name : title}{' '}
      <span className="quiet">
        · {isOn || since === null ? texts.on : texts.off(shortOf(new Date(since), language))}
      </span>
    </span>
  )
}
