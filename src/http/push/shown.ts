import type { Message } from '../../domain/push/message.ts'
import { type Static, Type } from '../schema/schema.ts'
import { TEXT_OR_NULL } from '../schema/view.ts'

export const SHOWN = Type.Union(
  [
    Type.Object({
      title: Type.String(),
      message: Type.String(),
      url: TEXT_OR_NULL,
      image_url: TEXT_OR_NULL,
      hero_image_url: TEXT_OR_NULL,
      buttons: Type.Array(Type.String()),
    }),
    Type.Null(),
  ],
  { description: 'The same message in words, for a preview; null if nothing is shown.' },
)

/** The parts of a message that a person sees. */
export function renderShown(message: Message | null): Static<typeof SHOWN> {
  if (message === null || message.silent) return null
  const { title, body, url, imageUrl, heroImageUrl, buttons } = message
  return {
    title,
    message: body,
    url,
    image_url: imageUrl,
    hero_image_url: heroImageUrl,
    buttons: buttons.map((button) => button.title),
  }
}
