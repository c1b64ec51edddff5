import { createNameSigner } from './signed-name.ts'

/** One browser of one brand's site. The id is drawn by us, so nobody can choose somebody else's. */
type VisitorName = { readonly brandId: number; readonly visitorId: string }

/** Signs the tokens by which a browser shows who it is, since a publishable key is everybody's (decision 0010). */
export type VisitorSigner = {
  readonly sign: (visitor: VisitorName) => string
  /** The visitor that a token was made for; null for a token that we did not make. */
  readonly open: (token: string) => VisitorName | null
}

/** `oldSecrets` are those that were replaced: browsers still hold their tokens. */
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
