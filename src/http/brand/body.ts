import type { BrandSettings } from '../../domain/brand/brand.ts'
import { type Fault, fault } from '../../domain/fault.ts'
import { type ChannelFacts, checkPair, type KeyPair, subjectFault } from '../../domain/push/channel.ts'
import type { AndroidCredential, IosCredential } from '../../domain/push/credential.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { BRAND_ID_PATTERN, BRAND_LIMITS, type KeyKind, SCOPES, type Scope } from '../../rules/brand.ts'
import { CHANNEL_LIMITS } from '../../rules/channels.ts'
import { LANGUAGE_LIMITS } from '../../rules/languages.ts'
import { BRAKE_RULES, FREQUENCY_LIMITS, PUSH_LIMITS } from '../../rules/push.ts'
import { QUIET_CHOICE, QUIET_CHOICES } from '../../rules/topics.ts'
import { TRIAL_LIMITS } from '../../rules/trials.ts'
import { makeP256Pair, pemKind, publicHalf } from '../../runtime/secrets/key-pair.ts'
import { type ParsedBody, parseBody, type Static, Type } from '../schema/schema.ts'

/** A time of day as `HH:mm`. */
const CLOCK = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' })

export const QUIET_HOURS = Type.Object({
  from: CLOCK,
  until: CLOCK,
  [QUIET_CHOICE]: Type.Enum([...QUIET_CHOICES], {
    description: '`later` sends a message when the quiet hours end, `drop` does not send it.',
  }),
})

export const BRAND_CHANGES = Type.Object({
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: BRAND_LIMITS.nameCharsMax,
      description: 'The name of the brand.',
    }),
  ),
  time_zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'An IANA name such as Europe/Berlin, or an offset such as +05:30. Times without a zone are in this zone.',
    }),
  ),
  profile_merging: Type.Optional(
    Type.Boolean({ description: 'Whether email and mobile identify a profile, like userID.' }),
  ),
  allowed_origins: Type.Optional(
    Type.Array(Type.String({ maxLength: BRAND_LIMITS.originCharsMax }), {
      maxItems: BRAND_LIMITS.originsMax,
      description: 'The sites that may use a publishable key, such as https://example.com.',
    }),
  ),
  identity_verification: Type.Optional(
    Type.Boolean({
      description:
        'Whether a page must prove its userID with user_hash; see identity-key. On for a new brand. Switching it on detaches browsers that claimed a userID without proof. Off, anybody with the publishable key can claim any userID and get the notifications of that person.',
    }),
  ),
  frequency_cap: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: FREQUENCY_LIMITS.perDayMax }), Type.Null()], {
      description:
        'The most notifications for a person in a day of their own zone, over journeys, broadcasts and sends with a topic; null for no limit.',
    }),
  ),
  default_sound: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: PUSH_LIMITS.nameCharsMax }), Type.Null()], {
      description:
        'The sound of notifications on Android and iOS that name none: a file of the app, or default; null for no sound.',
    }),
  ),
  language: Type.Optional(
    Type.Union([Type.String({ minLength: 2, maxLength: LANGUAGE_LIMITS.tagCharsMax }), Type.Null()], {
      description:
        'The language of messages to people and devices whose own language is not known or not offered, such as pt-BR; null when none is preferred.',
    }),
  ),
  control_percent: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: TRIAL_LIMITS.controlPercentMax,
      description:
        'The percentage of people, always the same ones, who get no campaigns, so that the effect of campaigns can be measured; 0 for none.',
    }),
  ),
  quiet_hours: Type.Optional(
    Type.Union([QUIET_HOURS, Type.Null()], {
      description:
        'The hours on each person’s own clock, such as 22:00 to 08:00, in which campaigns, journeys and messages with a topic are not sent; null for none. transactional passes.',
    }),
  ),
  approval_above: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: BRAND_LIMITS.approvalAboveMax }), Type.Null()], {
      description:
        'A campaign to more people than this needs the consent of a second key, with the scope approve; null for none. Changing it needs that scope.',
    }),
  ),
})

export const NEW_BRAND = Type.Object({
  brand_id: Type.String({
    pattern: BRAND_ID_PATTERN,
    description:
      'The id that callers will send as x-brand-id: letters, digits, dot, dash, underscore. It stays.',
  }),
  name: BRAND_CHANGES.properties.name,
  time_zone: BRAND_CHANGES.properties.time_zone,
})

/** Only the settings that the body names. */
export function brandChangesOf(changes: Static<typeof BRAND_CHANGES>): Partial<BrandSettings> {
  const {
    name,
    time_zone: timeZone,
    profile_merging: profileMerging,
    allowed_origins: allowedOrigins,
    identity_verification: identityVerification,
    frequency_cap: frequencyCap,
    default_sound: defaultSound,
    language,
    control_percent: controlPercent,
    quiet_hours: quietHours,
    approval_above: approvalAbove,
  } = changes
  return {
    ...(name === undefined ? {} : { name }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(profileMerging === undefined ? {} : { profileMerging }),
    ...(allowedOrigins === undefined ? {} : { allowedOrigins }),
    ...(identityVerification === undefined ? {} : { identityVerification }),
    ...(frequencyCap === undefined ? {} : { frequencyCap }),
    ...(defaultSound === undefined ? {} : { defaultSound }),
    ...(language === undefined ? {} : { language }),
    ...(controlPercent === undefined ? {} : { controlPercent }),
    ...(quietHours === undefined ? {} : { quietHours: quietHoursOf(quietHours) }),
    ...(approvalAbove === undefined ? {} : { approvalAbove }),
  }
}

function quietHoursOf(given: Static<typeof QUIET_HOURS> | null): BrandSettings['quietHours'] {
  if (given === null) return null
  const { from, until, [QUIET_CHOICE]: inside } = given
  return { from, until, inside }
}

export const KEY_KIND_NAMES: readonly KeyKind[] = ['secret', 'publishable']

export const SCOPE_NAMES = Object.keys(SCOPES).filter((name): name is Scope => name in SCOPES)

export const KEY_DRAFT = Type.Object({
  kind: Type.Enum([...KEY_KIND_NAMES], {
    description: 'A publishable key is for web pages: it is public, and can only track and subscribe.',
  }),
  label: Type.Optional(
    Type.String({ maxLength: BRAND_LIMITS.keyLabelCharsMax, description: 'The purpose of the key.' }),
  ),
  scopes: Type.Optional(
    Type.Array(Type.Enum(SCOPE_NAMES), {
      minItems: 1,
      maxItems: SCOPE_NAMES.length,
      description: 'The scopes of the key, at most those of the key that makes it; all of these if absent.',
    }),
  ),
})

/** A credential as the caller gave it, and the facts of it that may be shown later. */
export type GivenCredential<Credential> = { readonly credential: Credential; readonly facts: ChannelFacts }

const { nameCharsMax, pemCharsMax, subjectCharsMax } = CHANNEL_LIMITS
const name = (description: string) => Type.String({ minLength: 1, maxLength: nameCharsMax, description })
const pem = (description: string) => Type.String({ minLength: 1, maxLength: pemCharsMax, description })

/** The JSON file that Google gives for a service account. Of its other fields nothing is needed. */
const ACCOUNT_REST = Object.fromEntries(
  [
    'type',
    'private_key_id',
    'client_id',
    'auth_uri',
    'token_uri',
    'auth_provider_x509_cert_url',
    'client_x509_cert_url',
    'universe_domain',
  ].map((field) => [field, Type.Optional(Type.String({ maxLength: nameCharsMax }))]),
)

export const ANDROID_CHANNEL = Type.Object({
  service_account: Type.Object({
    ...ACCOUNT_REST,
    project_id: name('The Firebase project.'),
    client_email: name('The e-mail address of the service account.'),
    private_key: pem('Its RSA key, in PEM.'),
  }),
})

export const IOS_CHANNEL = Type.Object({
  key_p8: pem('The text of the .p8 file from Apple.'),
  key_id: Type.String({ pattern: '^[A-Z0-9]{10}$', description: 'Ten capitals and digits.' }),
  team_id: Type.String({ pattern: '^[A-Z0-9]{10}$', description: 'Ten capitals and digits.' }),
  bundle_id: Type.String({
    pattern: '^[A-Za-z0-9.-]{1,155}$',
    description: 'The id of the app: letters, digits, dots and dashes.',
  }),
  environment: Type.Optional(
    Type.Enum(['production', 'sandbox'], {
      description: 'The environment of devices that do not name theirs.',
    }),
  ),
})

export const WEB_CHANNEL = Type.Object({
  subject: Type.Optional(
    Type.String({
      maxLength: subjectCharsMax,
      description: 'A contact for push services: mailto: or https:.',
    }),
  ),
  public_key: Type.Optional(
    Type.String({ maxLength: 100, description: 'Your own VAPID key pair, in base64url.' }),
  ),
  private_key: Type.Optional(Type.String({ maxLength: 100 })),
  rotate: Type.Optional(Type.Boolean({ description: 'True makes a new key pair for new subscriptions.' })),
})

export function parseAndroid(body: unknown): Result<ParsedBody<GivenCredential<AndroidCredential>>> {
  const parsed = parseBody(ANDROID_CHANNEL, body)
  if (!parsed.ok) return parsed
  const { project_id, client_email, private_key } = parsed.value.value.service_account
  if (pemKind(private_key) !== 'rsa') {
    return reject(badKey('service_account.private_key', 'it must be an RSA key in PEM'))
  }
  const credential = { projectId: project_id, clientEmail: client_email, privateKeyPem: private_key }
  const { warnings } = parsed.value
  return accept({ value: { credential, facts: { project_id, client_email } }, warnings })
}

export function parseIos(body: unknown): Result<ParsedBody<GivenCredential<IosCredential>>> {
  const parsed = parseBody(IOS_CHANNEL, body)
  if (!parsed.ok) return parsed
  const { key_p8, key_id, team_id, bundle_id, environment = 'production' } = parsed.value.value
  if (pemKind(key_p8) !== 'p256') return reject(badKey('key_p8', 'it must be a P-256 key in PEM'))
  const credential = { keyPem: key_p8, keyId: key_id, teamId: team_id, bundleId: bundle_id, environment }
  const { warnings } = parsed.value
  return accept({ value: { credential, facts: { key_id, team_id, bundle_id, environment } }, warnings })
}

export type GivenWeb = { readonly subject: string | null; readonly pair: KeyPair | null }

export function parseWeb(body: unknown): Result<ParsedBody<GivenWeb>> {
  const parsed = parseBody(WEB_CHANNEL, body)
  if (!parsed.ok) return parsed
  const { value, warnings } = parsed.value
  const flaw = value.subject === undefined ? null : subjectFault(value.subject)
  if (flaw !== null) return reject(flaw)
  const pair = pairOf(value)
  if (!pair.ok) return pair
  return accept({ value: { subject: value.subject ?? null, pair: pair.value }, warnings })
}

function pairOf(given: Static<typeof WEB_CHANNEL>): Result<KeyPair | null> {
  const { public_key: publicKey, private_key: privateKey, rotate = false } = given
  const pair = checkPair(
    {
      ...(publicKey === undefined ? {} : { publicKey }),
      ...(privateKey === undefined ? {} : { privateKey }),
    },
    privateKey === undefined ? null : publicHalf(privateKey),
  )
  if (!pair.ok || !rotate) return pair
  if (pair.value === null) return accept(makeP256Pair())
  return reject(fault('field_conflict', 'rotate', { detail: 'send either a key pair or rotate' }))
}

function badKey(field: string, detail: string): Fault {
  return fault('field_invalid', field, { detail })
}

export const BRAKE_BODY = Type.Object({
  action: Type.Enum(['restore', 'retire'], {
    description:
      '`restore`: the devices are fine, and what was wrong is mended. `retire`: the devices are really dead.',
  }),
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: BRAKE_RULES.restoredHoursMax,
      description: `\`restore\` makes devices live again that were retired in the last so many hours; ${BRAKE_RULES.restoredHours} if absent.`,
    }),
  ),
})

export const CHANNEL_TEST_BODY = Type.Object({
  subscription_id: Type.String({ minLength: 1, maxLength: 100, description: 'The subscription to send to.' }),
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 70 })),
  message: Type.Optional(Type.String({ minLength: 1, maxLength: 130 })),
})
