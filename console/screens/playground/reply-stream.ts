import { z } from 'zod'
import { type ToolCall, type ChatMessage, type ReplyFacts, pendingReply } from './chat-message.ts'
import type { ChatRequestBody } from './request.ts'
import { CallError, plainErrorText } from '../../app/api/call.ts'
import { startStopwatch } from '../../app/time/time.tsx'
import { streamReply } from './queries.ts'

const Text = z.string().nullish().catch(undefined)

const ToolCallDelta = z.object({
  index: z.number().catch(0),
  function: z.object({ name: Text, arguments: Text }).optional().catch(undefined),
})

const Delta = z.object({
  content: Text,
  reasoning_content: Text,
  reasoning: Text,
  tool_calls: z.array(ToolCallDelta).nullish().catch(undefined),
})

const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.optional().catch(undefined) })).catch([]),
  error: z.object({ message: z.string() }).optional().catch(undefined),
})
export type Chunk = z.infer<typeof Chunk>

/** Reads one event of a streamed answer. Undefined for what is no JSON. */
export function readChunk(event: string): Chunk | undefined {
  try {
    return Chunk.safeParse(JSON.parse(event)).data
  } catch {
    return undefined
  }
}

/** An answer with one more piece. */
export function appendChunk(turn: ChatMessage, chunk: Chunk): ChatMessage {
  const delta = chunk.choices[0]?.delta
  if (!delta) return turn
  const content = turn.content + (delta.content ?? '')
  const reasoning = turn.reasoning + (delta.reasoning_content ?? delta.reasoning ?? '')
  const toolCalls = (delta.tool_calls ?? []).reduce(appendToolCall, turn.toolCalls)
  const hasBegun = content !== '' || reasoning !== '' || toolCalls.length > 0
  return { ...turn, content, reasoning, toolCalls, state: hasBegun ? 'incomplete' : turn.state }
}

function appendToolCall(calls: ToolCall[], { index, function: said }: z.infer<typeof ToolCallDelta>): ToolCall[] {
  const known = calls.find(call => call.index === index) ?? { index, name: '', arguments: '' }
  const next = {
    index,
    name: known.name || (said?.name ?? ''),
    arguments: known.arguments + (said?.arguments ?? ''),
  }
  return [...calls.filter(call => call.index !== index), next].toSorted((a, b) => a.index - b.index)
}

const EVENTS_MAX = 500

interface StreamEvent {
  /** Milliseconds after the request. */
  readonly at: number
  readonly text: string
}

/** What went over the wire for the last answer. */
export interface RequestLog {
  readonly body: ChatRequestBody | undefined
  /** The first five hundred. */
  readonly events: readonly StreamEvent[]
  readonly count: number
}

export const EMPTY_REQUEST_LOG: RequestLog = { body: undefined, events: [], count: 0 }

export const appendEvent = (exchange: RequestLog, text: string, at: number): RequestLog => ({
  ...exchange,
  events: exchange.events.length < EVENTS_MAX ? [...exchange.events, { at, text }] : exchange.events,
  count: exchange.count + 1,
})

const END = '[DONE]'

type Show = (turn: ChatMessage, exchange: RequestLog) => void

interface Run {
  readonly body: ChatRequestBody
  readonly signal: AbortSignal
  readonly show: Show
}

/** Follows an answer to its end, however it ends. What has arrived stays. */
export async function runReply({ body, signal, show }: Run): Promise<void> {
  const answer = startReply(body, show)
  try {
    const { requestId, events } = await streamReply(body, signal)
    answer.learn({ requestId })
    for await (const event of events) answer.take(event)
    answer.end({ state: 'complete' })
  } catch (error) {
    if (signal.aborted) {
      answer.learn({ isStopped: true })
      answer.end({ state: 'complete' })
    } else answer.end({ state: 'error', problem: failureText(error) })
  }
}

/** What a stream says about its end is shown as it came. */
const failureText = (error: unknown): string =>
  error instanceof Error && !(error instanceof CallError) ? error.message : plainErrorText(error)

/** An answer that grows, drawn as it does. `take` throws what the stream says went wrong. */
function startReply(body: ChatRequestBody, show: Show) {
  const since = startStopwatch()
  let turn = pendingReply(body.model)
  let exchange: RequestLog = { ...EMPTY_REQUEST_LOG, body }
  const draw = throttleToFrames(() => show(turn, exchange))
  const learn = (facts: Partial<ReplyFacts>) => {
    turn = { ...turn, facts: { model: body.model, requestId: '', isStopped: false, ...turn.facts, ...facts } }
  }
  draw.now()
  return {
    learn,
    take(event: string): void {
      exchange = appendEvent(exchange, event, since())
      const chunk = event === END ? undefined : readChunk(event)
      if (!chunk) return
      if (chunk.error) throw new Error(chunk.error.message)
      const wasAwaited = turn.state === 'loading'
      turn = appendChunk(turn, chunk)
      if (wasAwaited && turn.state === 'incomplete') learn({ firstMs: since() })
      draw.soon()
    },
    end(ending: Pick<ChatMessage, 'state'> & Partial<Pick<ChatMessage, 'problem'>>): void {
      learn({ totalMs: since() })
      turn = { ...turn, ...ending }
      draw.now()
    },
  }
}

/** However fast the pieces come, the page is drawn at most once a frame. */
function throttleToFrames(draw: () => void) {
  let frame = 0
  const now = () => {
    cancelAnimationFrame(frame)
    frame = 0
    draw()
  }
  return {
    now,
    soon: () => {
      if (frame === 0) frame = requestAnimationFrame(now)
    },
  }
}
