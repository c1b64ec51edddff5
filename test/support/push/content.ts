import type { Content } from '../../../src/domain/push/message.ts'

/** A content with nothing special in it, and what the test cares about on top. */
export function anyContent(parts: Partial<Content>): Content {
  return {
    title: 'Title',
    body: 'Body',
    url: null,
    imageUrl: null,
    heroImageUrl: null,
    buttons: [],
    ttlSeconds: 60,
    priority: 'high',
    badge: null,
    sound: null,
    androidChannel: null,
    silent: false,
    data: {},
    ...parts,
  }
}
