import { type Alternatives, contentKey } from '../../../src/domain/push/alternatives.ts'
import { BLANK_CONTENT, type Content } from '../../../src/domain/push/message.ts'

/** A content with nothing special in it, and the parts that a test cares about on top. */
export function anyContent(parts: Partial<Content>): Content {
  return { ...BLANK_CONTENT, title: 'Title', body: 'Body', ttlSeconds: 60, ...parts }
}

/** A content in other languages. */
export function inLanguages(
  content: Content,
  languages: Readonly<Record<string, Partial<Content>>>,
): Alternatives {
  const contents = Object.entries(languages).map(
    ([language, parts]) => [contentKey({ variant: null, language }), { ...content, ...parts }] as const,
  )
  return { languages: Object.keys(languages), variants: [], contents: Object.fromEntries(contents) }
}
