import { createNameSigner, type SignerOptions, type TokenAge } from './signed-name.ts'

/** One browser of one brand's site. Beckon chooses the id at random, so a caller cannot choose another visitor's id. */
type VisitorName = { readonly brandId: number; readonly visitorId: string }

/** Signs the tokens that identify browsers, since a publishable key is the same for all of them (decision 0010). */
export type VisitorSigner = {
  readonly sign: (visitor: VisitorName, now: number) => string
  /** The visitor that a token was made for; null for a token that we did not make. */
  readonly open: (token: string, now: number) => (VisitorName & { readonly age: TokenAge }) | null
}

export function createVisitorSigner(options: SignerOptions): VisitorSigner {
  const signer = createNameSigner({ purpose: 'beckon visitor', idChars: 22 }, options)
  return {
    sign: ({ brandId, visitorId }, now) => signer.sign({ brandId, id: visitorId }, now),
    open: (token, now) => {
      const name = signer.open(token, now)
      return name === null ? null : { brandId: name.brandId, visitorId: name.id, age: name.age }
    },
  }
}
