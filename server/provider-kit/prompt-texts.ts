import type { ChatBody } from './chat.ts'

/** The texts that a chat request puts before the model, one by one. */
export function* chatTexts({ messages }: ChatBody): Iterable<string> {
  for (const { content } of messages) {
    if (typeof content === 'string') yield content
    else for (const part of content ?? []) if (part.type === 'text') yield part.text
  }
}
