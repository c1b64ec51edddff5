import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Template } from '../../client/api/templates.ts'
import type { TemplateWords } from '../compose/template-content.ts'
import { Card } from '../kit/card.tsx'
import { useRead } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { LiquidText } from './liquid-text.tsx'
import styles from './template.module.css'
import { TEMPLATE_TEXTS } from './texts.ts'
import { wordIn } from './word-in.ts'

const VERSIONS_SHOWN = 10

type VersionsProps = {
  readonly template: Template
  readonly canWrite: boolean
  readonly onBring: (words: TemplateWords) => void
}

/** The last versions. Each can be brought back onto the page, and is a new version when it is saved. */
export function Versions({ template, canWrite, onBring }: VersionsProps) {
  const { versions: texts } = useTexts(TEMPLATE_TEXTS)
  const { template_id: id, version: newest } = template
  const { data } = useRead('GET /api/v1/templates/{template_id}/versions', {
    path: { template_id: String(id) },
    query: { limit: VERSIONS_SHOWN },
  })
  return (
    <Card title={texts.title}>
      <ol className={styles.versions}>
        {(data?.versions ?? []).map(({ version, content, platforms, created_at: at }) => (
          <li key={version}>
            <b className="num">{texts.one(version)}</b>
            <span className={`${styles.words} quiet`}>
              <LiquidText text={wordIn(content['title'])} />
            </span>
            <span className={`${styles.when} quiet`}>
              {version === newest && `${texts.newest} · `}
              <Time at={at} how="ago" />
            </span>
            {canWrite && version !== newest && (
              <Button
                size="compact-sm"
                aria-label={texts.backLabel(version)}
                onClick={() => {
                  onBring({ content, platforms })
                  notifications.show({ message: texts.brought(version) })
                }}
              >
                {texts.back}
              </Button>
            )}
          </li>
        ))}
      </ol>
      <p className={`small quiet ${styles.hint}`}>{texts.hint}</p>
    </Card>
  )
}
