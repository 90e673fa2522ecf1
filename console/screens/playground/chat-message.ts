import { z } from 'zod'
import { readStoredJson, writeStored, writeStoredJson } from '../../app/preferences/local-store.ts'

const ToolCall = z.object({ index: z.number(), name: z.string(), arguments: z.string() })
export type ToolCall = z.infer<typeof ToolCall>

/** What is known about an assistant message besides its content. */
const ReplyFacts = z.object({
  model: z.string(),
  /** The request id under which the reply is logged. */
  requestId: z.string(),
  /** Milliseconds until the first token; undefined before it arrives. */
  firstMs: z.number().optional(),
  totalMs: z.number().optional(),
  isStopped: z.boolean().default(false),
})
export type ReplyFacts = z.infer<typeof ReplyFacts>

/** `loading` until the first token, `incomplete` while the reply streams, then `complete` or `error`. */
const MessageState = z.enum(['loading', 'incomplete', 'complete', 'error'])

/** A message of the conversation, in the format in which it is stored and exported. */
export const ChatMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  reasoning: z.string().default(''),
  toolCalls: z.array(ToolCall).default([]),
  state: MessageState,
  /** The error message of a reply in the state `error`. */
  problem: z.string().default(''),
  facts: ReplyFacts.optional(),
})
export type ChatMessage = z.infer<typeof ChatMessage>

export const userMessage = (content: string): ChatMessage => ({
  id: newId(),
  role: 'user',
  content,
  reasoning: '',
  toolCalls: [],
  state: 'complete',
  problem: '',
})

/** An assistant message that has not received a token yet. */
export const pendingReply = (model: string): ChatMessage => ({
  id: newId(),
  role: 'assistant',
  content: '',
  reasoning: '',
  toolCalls: [],
  state: 'loading',
  problem: '',
  facts: { model, requestId: '', isStopped: false },
})

const newId = (): string => crypto.getRandomValues(new Uint32Array(2)).join('-')

export const isStreaming = ({ state }: ChatMessage): boolean => state === 'loading' || state === 'incomplete'

const STORED_MESSAGES_MAX = 60
const STORED_CHARACTERS_MAX = 400_000

const StoredChat = z.object({ userId: z.number(), turns: z.array(ChatMessage) })

/** The last conversation of this user in this browser. */
export function storedMessages(userId: number): readonly ChatMessage[] {
  const stored = StoredChat.safeParse(readStoredJson('playground-chat')).data
  return stored?.userId === userId ? stored.turns : []
}

/** Stores the most recent messages within the limits. A reply that is still streaming is stored as complete. */
export function storeMessages(userId: number, messages: readonly ChatMessage[]): void {
  if (messages.length === 0) writeStored('playground-chat', undefined)
  else writeStoredJson('playground-chat', { userId, turns: mostRecent(messages).map(asComplete) })
}

const asComplete = (message: ChatMessage): ChatMessage =>
  isStreaming(message) ? { ...message, state: 'complete' } : message

function mostRecent(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let charactersLeft = STORED_CHARACTERS_MAX
  const kept = messages
    .slice(-STORED_MESSAGES_MAX)
    .toReversed()
    .filter(({ content, reasoning }) => {
      charactersLeft -= content.length + reasoning.length
      return charactersLeft >= 0
    })
  return kept.toReversed()
}
