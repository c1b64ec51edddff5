import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ATTRIBUTE_TYPES, EVENT_ATTRIBUTES } from '../../src/rules/attributes.ts'
import { EVENT_LIMITS } from '../../src/rules/events.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { PROFILE_LIMITS } from '../../src/rules/people.ts'
import { PLATFORMS } from '../../src/rules/platforms.ts'

/** Spec §8, row by row, in its own numbers: "under N" is at most N − 1. The other tests read theirs from `rules/`. */
const ROWS: readonly (readonly [string, number | null, number])[] = [
  ['push requests', LIMITS.pushRequestsMax, 500],
  ['of push requests, the minute', LIMITS.pushWindowMs, 60_000],
  ['entries of an event call', EVENT_LIMITS.entriesMax, 1000],
  ['users of a bulk upload', PROFILE_LIMITS.entriesMax, 100],
  ['title on Android', PLATFORMS.android.titleCharsMax, 70],
  ['title on iOS', PLATFORMS.ios.titleCharsMax, 70],
  ['message on Android', PLATFORMS.android.messageCharsMax, 130],
  ['message on iOS', PLATFORMS.ios.messageCharsMax, 130],
  ['event name', EVENT_LIMITS.eventNameCharsMax, 255 - 1],
  ['attribute name', EVENT_ATTRIBUTES.nameCharsMax, 50 - 1],
  ['characters of a string value', EVENT_ATTRIBUTES.stringCharsMax, 255 - 1],
  ['bytes of a string value', EVENT_ATTRIBUTES.stringBytesMax, 255],
  ['properties of an event', EVENT_ATTRIBUTES.countMax, 255],
  ['String', ATTRIBUTE_TYPES.string.perEventMax, 200],
  ['Number', ATTRIBUTE_TYPES.number.perEventMax, 100],
  ['Boolean', ATTRIBUTE_TYPES.boolean.perEventMax, 20],
  ['Date', ATTRIBUTE_TYPES.date.perEventMax, 20],
  ['Object', ATTRIBUTE_TYPES.object.perEventMax, 20],
  ['Array of Objects', ATTRIBUTE_TYPES.object_array.perEventMax, 5],
]

for (const [row, ours, theirs] of ROWS)
  test(`the contract's limit for ${row} is ours`, () => assert.equal(ours, theirs))
