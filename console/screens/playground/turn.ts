import { z } from 'zod'

const ToolCall = z.object({ index: z.number(), name: z.string(), arguments: z.string() })
export type ToolCall = z.infer<typeof ToolCall>

/** What is known of an answer besides its words. */
const AnswerFacts = z.object({
  model: z.string(),
  /** Leads to its row in the log. */
  requestId: z.string(),
  /** Milliseconds; undefined while the first word is awaited. */
  firstMs: z.number().optional(),
  totalMs: z.number().optional(),
  isStopped: z.boolean().default(false),
})
export type AnswerFacts = z.infer<typeof AnswerFacts>

/** `loading` until the first word, `incomplete` while it is streamed, then `complete` or `error`. */
export const AnswerState = z.enum(['loading', 'incomplete', 'complete', 'error'])

export const Turn = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  reasoning: z.string().default(''),
  toolCalls: z.array(ToolCall).default([]),
  state: AnswerState,
  /** Why it ended in an error. */
  problem: z.string().default(''),
  facts: AnswerFacts.optional(),
})
export type Turn = z.infer<typeof Turn>

const newId = (): string => crypto.getRandomValues(new Uint32Array(2)).join('-')

const BLANK = { reasoning: '', toolCalls: [], problem: '' } as const

export const questionOf = (content: string): Turn => ({
  ...BLANK,
  id: newId(),
  role: 'user',
  content,
  toolCalls: [],
  state: 'complete',
})

export const awaitedAnswer = (model: string): Turn => ({
  ...BLANK,
  id: newId(),
  role: 'assistant',
  content: '',
  toolCalls: [],
  state: 'loading',
  facts: { model, requestId: '', isStopped: false },
})

export const isUnderWay = ({ state }: Turn): boolean => state === 'loading' || state === 'incomplete'
