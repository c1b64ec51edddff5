import { BeckonError, BeckonUnreachable } from '../../client/failure.ts'
import { parseJson } from '../../client/json.ts'
import { chosenBrand } from './brand.ts'

/** The counts of a list that is being imported. */
export type ListCounts = {
  readonly rows: number
  readonly imported: number
  readonly updated: number
  readonly refused: number
}

export type ListReport = ListCounts & {
  readonly refusals: readonly { readonly line: number; readonly message: string }[]
}

export type ListProgress = {
  /** The share of the file that was sent, between 0 and 1. */
  readonly sent: number
  readonly counts: ListCounts | null
}

/**
 * Sends a CSV file to an import, and tells how far it is: how much was sent, and the lines that the API answers while it
 * reads. `fetch` could not tell how much was sent.
 */
export async function uploadList(
  path: string,
  file: Blob,
  onProgress: (progress: ListProgress) => void,
): Promise<ListReport> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    let progress: ListProgress = { sent: 0, counts: null }
    const tell = (change: Partial<ListProgress>): void => {
      progress = { ...progress, ...change }
      onProgress(progress)
    }
    request.open('POST', path)
    request.setRequestHeader('content-type', 'text/csv; charset=utf-8')
    request.setRequestHeader('x-brand-id', chosenBrand())
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      tell({ sent: total === 0 ? 1 : loaded / total })
    })
    request.addEventListener('progress', () =>
      tell({ counts: lastLine(request.responseText).progress ?? null }),
    )
    request.addEventListener('error', () => reject(new BeckonUnreachable('The server does not answer.')))
    request.addEventListener('load', () => {
      const { report, ...reply } = lastLine(request.responseText)
      const isDone = request.status === 200 && reply['status_code'] === '200' && report !== undefined
      if (isDone) resolve(report)
      else reject(new BeckonError({ status: request.status, retryAfterMs: null, reply }))
    })
    request.send(file)
  })
}

type Line = Readonly<Record<string, unknown>> & {
  readonly progress?: ListCounts
  readonly report?: ListReport
}

/** The last whole line of the answer so far. A proxy on the way may answer with a page. */
function lastLine(text: string): Line {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  try {
    return Object(parseJson(line))
  } catch {
    return {}
  }
}
