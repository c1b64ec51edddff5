/**
 * The shapes a field of a body can have. A shape decides how the field is read, what a refusal says and what the
 * OpenAPI document shows; `http/fields/field.ts` and `http/fields/schema.ts` have one case for each.
 */
export type Shape =
  | { readonly type: 'text'; readonly charsMax: number }
  /**
   * Text that may hold Liquid. The limit is for the rendered text; `null` leaves it to the payload's bytes. With
   * `isWeighedLater` the work of rendering is not checked here but for several texts together.
   */
  | { readonly type: 'template'; readonly charsMax: number | null; readonly isWeighedLater?: true }
  /** An address that is opened on a tap. It may hold Liquid. `allowsAppScheme` admits `myapp://…` next to http(s). */
  | {
      readonly type: 'link'
      readonly charsMax: number
      readonly allowsAppScheme: boolean
      readonly isWeighedLater?: true
    }
  /** An address that a device fetches: https, and no Liquid. */
  | { readonly type: 'https_url'; readonly charsMax: number }
  /** `unit` is said when a number is out of range: ` seconds from now`. */
  | { readonly type: 'integer'; readonly min: bigint; readonly max: bigint; readonly unit?: string }
  /** A number with a fraction. */
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  /** `trueRefusal` ends the sentence that refuses `true`. */
  | { readonly type: 'boolean'; readonly trueRefusal?: string }
  | { readonly type: 'choice'; readonly oneOf: readonly string[] }
  /** `YYYY-MM-DD`. */
  | { readonly type: 'date' }
  /** `HH:mm` or `HH:mm:ss`. */
  | { readonly type: 'clock' }
  /** An IANA name, an offset or a number of hours; `allowsSubscriber` admits the word `subscriber`. */
  | { readonly type: 'zone'; readonly allowsSubscriber: boolean }
  /** A language tag such as `en` or `pt-BR`. */
  | { readonly type: 'language' }
  | { readonly type: 'list'; readonly itemsMax: number; readonly charsMax: number }
  /** An object whose values are all strings. */
  | { readonly type: 'strings'; readonly keysMax: number; readonly keyCharsMax: number }
  /** An object whose own fields are read by other rows; `document` names those of a document. */
  | { readonly type: 'object'; readonly document?: string }
  /** A list of such objects. */
  | { readonly type: 'objects'; readonly document: string; readonly itemsMax: number }

export type FieldRow = {
  readonly name: string
  /** Other spellings of the same field. Two spellings in one body must carry the same value. */
  readonly aliases?: readonly string[]
  readonly shape: Shape
  /** A sentence for the OpenAPI document. */
  readonly description: string
}

export const INT64_MAX = 9_223_372_036_854_775_807n
export const INT64_MIN = -9_223_372_036_854_775_808n
