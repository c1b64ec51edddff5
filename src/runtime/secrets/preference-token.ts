import { createNameSigner, type SignerOptions, type TokenAge } from './signed-name.ts'

/** The preferences of one person of one brand. */
type PersonName = { readonly brandId: number; readonly profileId: bigint }

/** Signs the links to the page of a person's preferences, so that the page needs no login and shows no name. */
export type PreferenceSigner = {
  readonly sign: (person: PersonName, now: number) => string
  /** The person that a token was made for; null for a token that we did not make. */
  readonly open: (token: string, now: number) => (PersonName & { readonly age: TokenAge }) | null
}

export function createPreferenceSigner(options: SignerOptions): PreferenceSigner {
  const signer = createNameSigner({ purpose: 'beckon preferences', idChars: 11 }, options)
  return {
    sign: ({ brandId, profileId }, now) => {
      const bytes = Buffer.allocUnsafe(8)
      bytes.writeBigInt64BE(profileId)
      return signer.sign({ brandId, id: bytes.toString('base64url') }, now)
    },
    open: (token, now) => {
      const name = signer.open(token, now)
      if (name === null) return null
      const profileId = Buffer.from(name.id, 'base64url').readBigInt64BE()
      return { brandId: name.brandId, profileId, age: name.age }
    },
  }
}
