import { Button } from '@mantine/core'
import { Empty } from '../kit/empty.tsx'
import { useTexts } from '../kit/texts.tsx'
import { SHELL_TEXTS } from './texts.ts'

/** Shown when a page throws, or when its chunk is gone because Beckon was updated under an open page. */
export function PageFailed({ error }: { readonly error: unknown }) {
  const { failed } = useTexts(SHELL_TEXTS)
  return (
    <Empty
      title={failed.title}
      text={`${failed.text} (${error instanceof Error ? error.message : String(error)})`}
    >
      <Button onClick={() => location.reload()}>{failed.reload}</Button>
    </Empty>
  )
}
