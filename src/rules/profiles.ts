/** What a profile is known by. Email and mobile count only while the brand merges profiles (spec §4.2, E3). */
export const IDENTITY_KINDS = ['user_id', 'email', 'mobile'] as const

export type IdentityKind = (typeof IDENTITY_KINDS)[number]

/** The bounds of the profile calls (decisions §5). What is called "under N" stands here as N − 1. */
export const PROFILE_LIMITS = {
  entriesMax: 100,
  userIdCharsMax: 100,
  emailCharsMax: 254,
  attributeNameCharsMax: 49,
  stringCharsMax: 999,
  attributesMax: 255,
} as const
