import { SIGN_IN } from '../../rules/sign-in.ts'
import { TEAM_ROLE_NAMES } from '../../rules/team.ts'
import { Type } from '../schema/schema.ts'

export const EMAIL = Type.String({
  minLength: 3,
  maxLength: SIGN_IN.emailCharsMax,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  description: 'The e-mail address of the member.',
})
const NAME = Type.String({ maxLength: SIGN_IN.nameCharsMax, description: 'The name of the member.' })
const PASSWORD = Type.String({ minLength: 1, maxLength: SIGN_IN.passwordCharsMax })
export const NEW_PASSWORD = Type.String({
  minLength: SIGN_IN.passwordCharsMin,
  maxLength: SIGN_IN.passwordCharsMax,
})
const CODE = Type.String({ minLength: 6, maxLength: 20 })
export const ROLE = Type.Enum([...TEAM_ROLE_NAMES], { description: 'The role in this brand.' })

export const SIGN_IN_BODY = Type.Object({ email: EMAIL, password: PASSWORD })
export const CODE_BODY = Type.Object({ code: CODE })
export const PASSWORD_BODY = Type.Object({ password: PASSWORD })
export const NEW_PASSWORD_BODY = Type.Object({ current_password: PASSWORD, new_password: NEW_PASSWORD })
export const INVITATION = Type.Object({ email: EMAIL, name: Type.Optional(NAME), role: ROLE })
export const ROLE_BODY = Type.Object({ role: ROLE })
export const CLAIM_BODY = Type.Object({ email: EMAIL, name: Type.Optional(NAME), password: NEW_PASSWORD })
export const LINK_BODY = Type.Object({
  email: Type.Optional(EMAIL),
  name: Type.Optional(NAME),
  password: NEW_PASSWORD,
})
const BYTES = Type.String({ maxLength: 8_192 })
const CREDENTIAL = {
  id: BYTES,
  rawId: BYTES,
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Object({}),
}

/** A credential that a browser made, as `PublicKeyCredential.toJSON` writes it. */
export const PASSKEY_BODY = Type.Object({
  name: Type.Optional(Type.String({ maxLength: SIGN_IN.passkeyNameCharsMax })),
  response: Type.Object({
    ...CREDENTIAL,
    response: Type.Object({
      clientDataJSON: BYTES,
      attestationObject: BYTES,
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 10 })),
    }),
  }),
})

/** The proof of a browser that it has a passkey. */
export const PASSKEY_PROOF_BODY = Type.Object({
  response: Type.Object({
    ...CREDENTIAL,
    response: Type.Object({
      clientDataJSON: BYTES,
      authenticatorData: BYTES,
      signature: BYTES,
      userHandle: Type.Optional(BYTES),
    }),
  }),
})
