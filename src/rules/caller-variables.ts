/**
 * The variables of the shell that the README, `/docs` and the guides use for calls. No setting of the server has one of
 * these names, so a shell that has them set can also start Beckon.
 */
export const CALLER_VARIABLES = {
  url: 'BECKON_URL',
  brand: 'BECKON_BRAND',
  key: 'BECKON_KEY',
  publicKey: 'BECKON_PUBLIC_KEY',
} as const
