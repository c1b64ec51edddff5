import { callAuth } from './call.ts'

/** Asks the browser for a passkey of this Beckon, and signs in with it. */
export async function askPasskey(): Promise<void> {
  const offer = Object(await callAuth('/sign-in/passkey/options', null))
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(offer.options)
  const found = await navigator.credentials.get({ publicKey })
  if (!(found instanceof PublicKeyCredential)) throw new Error('no passkey was chosen')
  await callAuth('/sign-in/passkey', { response: proofOf(found) })
}

/** Makes a passkey on this device for the member who is signed in. */
export async function makePasskey(name: string): Promise<void> {
  const offer = Object(await callAuth('/passkeys/options', null))
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(offer.options)
  const made = await navigator.credentials.create({ publicKey })
  if (!(made instanceof PublicKeyCredential)) throw new Error('no passkey was made')
  await callAuth('/passkeys', { name, response: proofOf(made) })
}

/** The fields that the server reads; browsers write more of them, which it would refuse. */
function proofOf(credential: PublicKeyCredential): object {
  const { id, rawId, type, response } = Object(credential.toJSON())
  const { clientDataJSON, attestationObject, transports, authenticatorData, signature, userHandle } = response
  const made = { clientDataJSON, attestationObject, transports }
  const shown = { clientDataJSON, authenticatorData, signature, userHandle }
  const isNew = attestationObject !== undefined
  return { id, rawId, type, clientExtensionResults: {}, response: isNew ? made : shown }
}
