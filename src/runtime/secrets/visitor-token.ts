import { createNameSigner } from './signed-name.ts'

/** One browser of one brand's site. Beckon chooses the id at random, so a caller cannot choose another visitor's id. */
type VisitorName = { readonly brandId: number; readonly visitorId: string }

/** Signs the tokens that identify browsers, since a publishable key is the same for all of them (decision 0010). */
export type VisitorSigner = {
  readonly sign: (visitor: VisitorName) => string
  /** The visitor that a token was made for; null for a token that we did not make. */
  readonly open: (token: string) => VisitorName | null
}

/** `oldSecrets` are former secrets: browsers still have tokens signed with them. */
export function createVisitorSigner(secret: string, oldSecrets: readonly string[] = []): VisitorSigner {
  const signer = createNameSigner({ purpose: 'beckon visitor', idChars: 22 }, { secret, oldSecrets })
  return {
    sign: ({ brandId, visitorId }) => signer.sign({ brandId, id: visitorId }),
    open: (token) => {
      const name = signer.open(token)
      return name === null ? null : { brandId: name.brandId, visitorId: name.id }
    },
  }
}
