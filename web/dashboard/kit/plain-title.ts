/** A title as a name of the message: without the facts about the person, which differ for everybody. */
export function plainTitle(title: string): string {
  const plain = title
    .replaceAll(/\{[{%].*?[%}]\}/g, '')
    .replace(/^[\s,.:;–-]+/, '')
    .replace(/[\s,:;–-]+$/, '')
    .trim()
  return plain === '' ? title : `${plain.slice(0, 1).toUpperCase()}${plain.slice(1)}`
}
