import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { curlOf, type Endpoint, type Input, outgoingOf } from './call.ts'
import { KIT_TEXTS } from './kit-texts.ts'
import { useTexts } from './texts.tsx'

type CopyCurlProps<Name extends Endpoint> = { readonly endpoint: Name; readonly input: Input<Name> }

/** Copies the command that does from a terminal what the page does or shows. */
export function CopyCurl<Name extends Endpoint>({ endpoint, input }: CopyCurlProps<Name>) {
  const { curl } = useTexts(KIT_TEXTS)
  const { copy, copied } = useClipboard()
  return (
    <Button variant="subtle" color="gray" onClick={() => copy(curlOf(outgoingOf(endpoint, input)))}>
      {copied ? curl.copied : curl.copy}
    </Button>
  )
}
