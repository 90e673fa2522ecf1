import { z } from 'zod'
import { readStoredJson, writeStored, writeStoredJson } from '../../app/preferences/local-store.ts'

const ToolCall = z.object({ index: z.number(), name: z.string(), arguments: z.string() })
export type ToolCall = z.infer<typeof ToolCall>

/** What is known of an answer besides its words. */
const ReplyFacts = z.object({
  model: z.string(),
  /** Leads to its row in the log. */
  requestId: z.string(),
  /** Milliseconds; undefined while the first word is awaited. */
  firstMs: z.number().optional(),
  totalMs: z.number().optional(),
  isStopped: z.boolean().default(false),
})
export type ReplyFacts = z.infer<typeof ReplyFacts>

/** `loading` until the first word, `incomplete` while it is streamed, then `complete` or `error`. */
export const MessageState = z.enum(['loading', 'incomplete', 'complete', 'error'])

export const ChatMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  reasoning: z.string().default(''),
  toolCalls: z.array(ToolCall).default([]),
  state: MessageState,
  /** Why it ended in an error. */
  problem: z.string().default(''),
  facts: ReplyFacts.optional(),
})
export type ChatMessage = z.infer<typeof ChatMessage>

const newId = (): string => crypto.getRandomValues(new Uint32Array(2)).join('-')

const BLANK = { reasoning: '', toolCalls: [], problem: '' } as const

export const userMessage = (content: string): ChatMessage => ({
  ...BLANK,
  id: newId(),
  role: 'user',
  content,
  toolCalls: [],
  state: 'complete',
})

export const pendingReply = (model: string): ChatMessage => ({
  ...BLANK,
  id: newId(),
  role: 'assistant',
  content: '',
  toolCalls: [],
  state: 'loading',
  facts: { model, requestId: '', isStopped: false },
})

export const isStreaming = ({ state }: ChatMessage): boolean => state === 'loading' || state === 'incomplete'

const STORED_MESSAGES_MAX = 60
const STORED_CHARACTERS_MAX = 400_000

const Stored = z.object({ userId: z.number(), turns: z.array(ChatMessage) })

/** The last conversation of this user in this browser. */
export function storedMessages(userId: number): readonly ChatMessage[] {
  const stored = Stored.safeParse(readStoredJson('playground-chat')).data
  return stored?.userId === userId ? stored.turns : []
}

/** Keeps the newest turns, as many as there is room for. An answer under way counts as it stands. */
export function storeMessages(userId: number, turns: readonly ChatMessage[]): void {
  if (turns.length === 0) writeStored('playground-chat', undefined)
  else writeStoredJson('playground-chat', { userId, turns: newest(turns).map(settled) })
}

const settled = (turn: ChatMessage): ChatMessage => (isStreaming(turn) ? { ...turn, state: 'complete' } : turn)

function newest(turns: readonly ChatMessage[]): readonly ChatMessage[] {
  let room = STORED_CHARACTERS_MAX
  const kept = turns
    .slice(-STORED_MESSAGES_MAX)
    .toReversed()
    .filter(({ content, reasoning }) => {
      room -= content.length + reasoning.length
      return room >= 0
    })
  return kept.toReversed()
}
