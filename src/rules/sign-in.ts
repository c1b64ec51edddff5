/** Bounds of the sign-in of members. */
export const SIGN_IN = {
  emailCharsMax: 254,
  /**
   * Stands in place of the address of a first administrator who has not set one. It has no @, so nobody can be invited
   * under it, sign in with it or choose it.
   */
  placeholderEmail: 'administrator',
  nameCharsMax: 200,
  passwordCharsMin: 12,
  passwordCharsMax: 128,
  passkeyNameCharsMax: 100,
  passkeysMax: 20,
  /** A session ends this long after its sign-in, used or not. */
  sessionDays: 7,
  /** How long a one-time link can be used. */
  linkHours: 48,
  /** Secrets are shown, and the ways to sign in changed, only this soon after the member proved who they are. */
  confirmedMinutes: 15,
  /** Attempts for one e-mail address from one network, and from all networks. Successes count too. */
  attemptsMax: 10,
  accountAttemptsMax: 50,
  attemptsWindowMs: 15 * 60_000,
  /** The members of one brand. */
  membersMax: 1_000,
  /** A reply to a sign-in leaves at a full step of this length, so that its time does not tell what was found. */
  stepMs: 250,
  bodyBytesMax: 16 * 1024,
  /** Tells the library the network of a caller. Only our own code sets it. */
  networkHeader: 'x-beckon-network',
} as const
