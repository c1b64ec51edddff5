/** Bounds of what a brand says about itself; the tables check the same lengths. */
export const BRAND_LIMITS = {
  nameCharsMax: 200,
  keyLabelCharsMax: 200,
  originCharsMax: 300,
  originsMax: 50,
} as const
