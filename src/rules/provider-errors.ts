/**
 * Classes of the reasons why a push provider did not accept a message, for metrics: providers name hundreds of reasons,
 * and a label must be one of few.
 */
export const PROVIDER_ERRORS = {
  dead_address: 'the device or browser is gone',
  message: 'the provider will never accept this message',
  credential: 'the credential is refused, or no access token is given',
  throttled: 'the provider asks for fewer messages',
  provider: 'the provider is not well, such as 503',
  network: 'the provider cannot be reached, or its certificate is not trusted',
  no_answer: 'the message left and no answer came',
  other: 'any other reason to try again',
} as const satisfies Readonly<Record<string, string>>

export type ProviderError = keyof typeof PROVIDER_ERRORS

/** The reasons with which providers ask for fewer messages. */
export const THROTTLED_REASONS = [
  'QUOTA_EXCEEDED',
  'TooManyProviderTokenUpdates',
  'TooManyRequests',
  'http_429',
] as const

/** The reasons of a provider that is not well, beside statuses. */
export const UNWELL_REASONS = [
  'INTERNAL',
  'IdleTimeout',
  'InternalServerError',
  'ServiceUnavailable',
  'Shutdown',
  'UNAVAILABLE',
] as const

/** The reasons of a provider that this machine does not reach, as Node names them. */
export const UNREACHABLE_REASONS = [
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'connect timeout',
] as const
