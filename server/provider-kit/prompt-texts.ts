import type { ChatBody } from './chat.ts'

/** The texts that a chat request puts before the model, one by one. */
export function chatTexts({ messages }: ChatBody): readonly string[] {
  const texts: string[] = []
  for (const { content } of messages) {
    if (typeof content === 'string') texts.push(content)
    else for (const part of content ?? []) if (part.type === 'text') texts.push(part.text)
  }
  return texts
}
