import { BLANK_CONTENT, type Content } from '../../../src/domain/push/message.ts'

/** A content with nothing special in it, and the parts that a test cares about on top. */
export function anyContent(parts: Partial<Content>): Content {
  return { ...BLANK_CONTENT, title: 'Title', body: 'Body', ttlSeconds: 60, ...parts }
}
