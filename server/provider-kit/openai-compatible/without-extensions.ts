import type { ChatBody, ChatMessage, ContentPart, JsonObject } from '../chat.ts'
import { partsOf } from '../chat-request.ts'

/** What the canonical form holds beyond OpenAI's, and some vendors understand. */
export type Extension = 'top_k' | 'reasoning_content' | 'cache_control'

const PICTURE_FOLLOWS: ContentPart = { type: 'text', text: 'The picture follows in the next message.' }

/**
 * A body that was written in another dialect, in OpenAI's own words: without the extensions that the vendor does not
 * know, and with the pictures that a tool gave in a message of the user's, since a tool's takes text only.
 */
export function withoutExtensions(body: ChatBody, kept: readonly Extension[]): ChatBody {
  const { top_k, tools, ...rest } = body
  return {
    ...rest,
    model: body.model,
    messages: withToolPicturesApart(body.messages).map(message => strictMessage(message, kept)),
    ...(tools && { tools: kept.includes('cache_control') ? tools : tools.map(withoutCacheMark) }),
    ...(top_k !== undefined && kept.includes('top_k') && { top_k }),
  }
}

/** The pictures come after the last of neighbouring results, which must stay together. */
function withToolPicturesApart(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const apart: ChatMessage[] = []
  let pictures: readonly ContentPart[] = []
  const showPictures = (): void => {
    if (pictures.length > 0) apart.push({ role: 'user', content: pictures })
    pictures = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') showPictures()
    const found = message.role === 'tool' ? picturesIn(message) : []
    pictures = [...pictures, ...found]
    apart.push(found.length > 0 ? { ...message, content: textsIn(message) } : message)
  }
  showPictures()
  return apart
}

const picturesIn = ({ content }: ChatMessage): readonly ContentPart[] =>
  partsOf(content).filter(({ type }) => type !== 'text')

function textsIn({ content }: ChatMessage): readonly ContentPart[] {
  const texts = partsOf(content).filter(({ type }) => type === 'text')
  return texts.length > 0 ? texts : [PICTURE_FOLLOWS]
}

function strictMessage(message: ChatMessage, kept: readonly Extension[]): ChatMessage {
  const { reasoning_content, reasoning_signature, tool_calls, content, ...rest } = message
  return {
    ...rest,
    role: message.role,
    content: kept.includes('cache_control') ? (content ?? null) : unmarked(content),
    ...(tool_calls && { tool_calls: tool_calls.map(({ extra_content, ...call }) => call) }),
    ...(reasoning_content && kept.includes('reasoning_content') && { reasoning_content }),
  }
}

/** Parts that only a cache mark kept apart become one text. */
function unmarked(content: ChatMessage['content']): string | readonly ContentPart[] | null {
  if (typeof content === 'string' || !content) return content ?? null
  const texts = content.flatMap(part => (part.type === 'text' ? part.text : []))
  const isMarked = content.some(part => part.cache_control !== undefined)
  return isMarked && texts.length === content.length ? texts.join('\n') : content.map(withoutCacheMark)
}

/** The cast is safe because the mark is optional wherever it may stand. */
function withoutCacheMark<Marked extends JsonObject>(marked: Marked): Marked {
  const { cache_control, ...rest } = marked
  return rest as unknown as Marked
}
