import { z } from 'zod'
import { Picture } from './pictures.ts'

const ToolCall = z.object({ index: z.number(), name: z.string(), arguments: z.string() })
export type ToolCall = z.infer<typeof ToolCall>

/** Facts about an assistant message besides its content. */
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
  pictures: z.array(Picture).default([]),
  reasoning: z.string().default(''),
  toolCalls: z.array(ToolCall).default([]),
  state: MessageState,
  /** The error message of a reply in the state `error`. */
  problem: z.string().default(''),
  facts: ReplyFacts.optional(),
})
export type ChatMessage = z.infer<typeof ChatMessage>

export const userMessage = (content: string, pictures: readonly Picture[] = []): ChatMessage => ({
  id: newId(),
  role: 'user',
  content,
  pictures: [...pictures],
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
  pictures: [],
  reasoning: '',
  toolCalls: [],
  state: 'loading',
  problem: '',
  facts: { model, requestId: '', isStopped: false },
})

export const newId = (): string => crypto.getRandomValues(new Uint32Array(2)).join('-')

export const isStreaming = ({ state }: ChatMessage): boolean => state === 'loading' || state === 'incomplete'
