import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'
import * as der from './der.ts'

/** PEM texts for a TLS server on loopback. */
export type Certificate = { readonly key: string; readonly cert: string }

/**
 * A P-256 certificate for localhost, 127.0.0.1 and ::1, new at every start. A test that plays the host of another company
 * adds its name. It signs itself, unless an authority signs it.
 */
export function makeCertificate(
  now: number,
  otherNames: readonly string[] = [],
  authority: Certificate | null = null,
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = authority === null ? AUTHORITY_NAME : HOST_NAME
  const body = certificateBody({ publicKey, now, subject, names: ['localhost', ...otherNames] })
  const signature = sign('sha256', body, authority === null ? privateKey : createPrivateKey(authority.key))
  const cert = der.sequence(body, ECDSA_SHA256, der.bitString(signature))
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: pem(cert) }
}

const DAY_MS = 86_400_000
const VALID_DAYS = 365
const ECDSA_SHA256 = der.sequence(der.objectId('1.2.840.10045.4.3.2'))
const AUTHORITY_NAME = commonName('Beckon sandbox')
const HOST_NAME = commonName('Beckon sandbox host')

function commonName(name: string): Buffer {
  return der.sequence(der.set(der.sequence(der.objectId('2.5.4.3'), der.utf8String(name))))
}

type CertificateFacts = {
  readonly publicKey: KeyObject
  readonly now: number
  readonly subject: Buffer
  readonly names: readonly string[]
}

function certificateBody({ publicKey, now, subject, names }: CertificateFacts): Buffer {
  const version3 = der.tagged(0, 'constructed', der.derInteger(Buffer.of(2)))
  const validity = der.sequence(
    der.utcTime(now - DAY_MS), // a client's clock may be behind
    der.utcTime(now + VALID_DAYS * DAY_MS),
  )
  return der.sequence(
    version3,
    der.derInteger(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ECDSA_SHA256,
    AUTHORITY_NAME,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.tagged(3, 'constructed', der.sequence(basicConstraints(), alternativeNames(names))),
  )
}

/** The certificate signs itself, so that it must be allowed to sign. */
function basicConstraints(): Buffer {
  const isAuthority = der.sequence(der.truth())
  return der.sequence(der.objectId('2.5.29.19'), der.truth(), der.octetString(isAuthority))
}

function alternativeNames(names: readonly string[]): Buffer {
  const list = der.sequence(
    ...names.map(alternativeName),
    der.tagged(7, 'primitive', Buffer.of(127, 0, 0, 1)),
    der.tagged(7, 'primitive', Buffer.from([...Array<number>(15).fill(0), 1])),
  )
  return der.sequence(der.objectId('2.5.29.17'), der.octetString(list))
}

/** A name of a host, or an IPv4 address, which a client looks for under another tag. */
function alternativeName(name: string): Buffer {
  if (!isIPv4(name)) return der.tagged(2, 'primitive', Buffer.from(name))
  return der.tagged(7, 'primitive', Buffer.from(name.split('.').map(Number)))
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
