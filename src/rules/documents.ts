/**
 * The shapes of the JSON documents that callers write: a segment's filter, a journey and a campaign's audience. Two
 * readers follow a shape: `domain/values/document.ts` checks a document, and `http/schema/document.ts` makes the JSON
 * schema of the OpenAPI document. Each has one case for each shape.
 */
export type DocumentShape =
  | { readonly type: 'text'; readonly charsMin: 0 | 1; readonly charsMax: number }
  | { readonly type: 'word'; readonly words: readonly string[] }
  | { readonly type: 'integer'; readonly min: number; readonly max: number }
  | { readonly type: 'number' }
  | { readonly type: 'boolean' }
  /** A string, a number or a boolean. */
  | { readonly type: 'scalar'; readonly charsMax: number }
  /** The same for an attribute, whose name and value are judged together by the rules of attributes. */
  | { readonly type: 'value'; readonly charsMax: number }
  /** The id of something that has an int64: a number, or its digits in a string. */
  | { readonly type: 'int64'; readonly of: string }
  | { readonly type: 'uuid'; readonly of: string }
  /** `HH:mm` or `HH:mm:ss`. */
  | { readonly type: 'clock' }
  /** A day or an instant, as attributes hold it. */
  | { readonly type: 'date' }
  /** One of the words as the only key, with a number from 0 up. */
  | { readonly type: 'bound'; readonly words: readonly string[]; readonly max: number }
  /** The fields of a push, which have rows of their own (`rules/push-fields.ts`). */
  | { readonly type: 'push'; readonly schema: 'JourneyMessage' | 'CampaignContent' | 'CampaignLanguages' }
  | ListShape
  | { readonly type: 'object'; readonly keys: DocumentKeys; readonly keysMin?: number }
  /** An object that has exactly one of the keys of `forms`, and beside it only those that its row names. */
  | { readonly type: 'forms'; readonly forms: DocumentForms }
  /** A document with a name of its own, which may contain itself. */
  | { readonly type: 'named'; readonly name: string }

export type ListShape = {
  readonly type: 'list'
  readonly of: DocumentShape
  /** The items, in a sentence that refuses a list: "at most 10 conditions". */
  readonly noun: string
  readonly itemsMin: number
  /** Null where the document as a whole is bounded. */
  readonly itemsMax: number | null
}

/** `nullable`: a null says the same as an absent key. */
export type DocumentKey = {
  readonly use: 'required' | 'optional' | 'nullable'
  readonly shape: DocumentShape
  readonly meaning: string
}

export type DocumentKeys = Readonly<Record<string, DocumentKey>>

export type DocumentForms = Readonly<Record<string, DocumentForm>>

export type DocumentForm = {
  readonly meaning: string
  /** The shape of the key's own value. */
  readonly shape: DocumentShape
  readonly beside?: DocumentKeys
  /**
   * The form is a comparison: it has `is`, and a `value` where the operator takes one. Which operators there are may
   * follow from the key's own value; `*` stands for any value.
   */
  readonly compares?: Readonly<Record<string, DocumentOperators>>
}

/** The shape of `value` by the word at `is`; null where the operator takes no value. */
export type DocumentOperators = Readonly<Record<string, DocumentShape | null>>

export type DocumentRow = {
  /** The code of a fault in the document: `filter_invalid`, `journey_invalid` or `campaign_invalid`. */
  readonly kind: 'filter' | 'journey' | 'campaign'
  readonly description: string
  readonly shape: DocumentShape
  /** The bounds of a document that contains itself. */
  readonly limits?: { readonly nodesMax: number; readonly depthMax: number }
}

export type DocumentRows = Readonly<Record<string, DocumentRow>>

/** A refusal of a document names at most this many flaws. */
export const DOCUMENT_FAULTS_MAX = 20

export const CLOCK_PATTERN = '^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?$'
