import { z } from 'zod'
import { CallError, plainErrorText } from '#console/app/api/call.ts'
import { startStopwatch } from '#console/app/format/format.tsx'
import type { ChatMessage, ReplyFacts, ToolCall } from './chat-message.ts'
import { shortenDataUrls } from './pictures.ts'
import { streamChat } from './queries.ts'
import { readEvents } from './read-events.ts'
import type { ChatRequestBody } from './request.ts'

interface ReplyRun {
  /** The reply before its first event. */
  readonly reply: ChatMessage
  readonly body: ChatRequestBody
  readonly signal: AbortSignal
  /** Receives the reply and the request log at most once per frame. */
  readonly onUpdate: (reply: ChatMessage, log: RequestLog) => void
}

/** Streams a reply until it completes, fails or is aborted. Content that has arrived is kept. */
export async function runReply({ reply: pending, body, signal, onUpdate }: ReplyRun): Promise<void> {
  const reply = startReply(pending, body, onUpdate)
  try {
    const { requestId, body: stream } = await streamChat(body, signal)
    reply.addFacts({ requestId })
    for await (const event of readEvents(stream)) reply.addEvent(event)
    reply.finish({ state: 'complete' })
  } catch (error) {
    if (signal.aborted) {
      reply.addFacts({ isStopped: true })
      reply.finish({ state: 'complete' })
    } else reply.finish({ state: 'error', problem: failureText(error) })
  }
}

/** An error inside the stream keeps its own message. */
const failureText = (error: unknown): string =>
  error instanceof Error && !(error instanceof CallError) ? error.message : plainErrorText(error)

const DONE = '[DONE]'

/** A growing reply and its request log. `addEvent` throws an error that the stream reports. */
function startReply(pending: ChatMessage, body: ChatRequestBody, onUpdate: ReplyRun['onUpdate']) {
  const elapsedMs = startStopwatch()
  let message = pending
  let log: RequestLog = { ...EMPTY_REQUEST_LOG, body }
  const update = throttleToFrames(() => onUpdate(message, log))
  const addFacts = (facts: Partial<ReplyFacts>) => {
    message = {
      ...message,
      facts: { model: body.model, requestId: '', isStopped: false, ...message.facts, ...facts },
    }
  }
  update.now()
  return {
    addFacts,
    addEvent(event: string): void {
      log = appendEvent(log, event, elapsedMs())
      const chunk = event === DONE ? undefined : readChunk(event)
      if (!chunk) return
      if (chunk.error) throw new Error(chunk.error.message)
      const wasLoading = message.state === 'loading'
      message = appendChunk(message, chunk)
      if (wasLoading && message.state === 'incomplete') addFacts({ firstMs: elapsedMs() })
      update.soon()
    },
    finish(result: Pick<ChatMessage, 'state'> & Partial<Pick<ChatMessage, 'problem'>>): void {
      addFacts({ totalMs: elapsedMs() })
      message = { ...message, ...result }
      update.now()
    },
  }
}

/** Limits `run` to once per frame, however fast `soon` is called. `now` runs it at once. */
function throttleToFrames(run: () => void) {
  let frame = 0
  const now = () => {
    cancelAnimationFrame(frame)
    frame = 0
    run()
  }
  return {
    now,
    soon: () => {
      if (frame === 0) frame = requestAnimationFrame(now)
    },
  }
}

const EVENTS_MAX = 500

interface StreamEvent {
  /** Milliseconds since the request was sent. */
  readonly at: number
  readonly text: string
}

/** The body and the raw events of the last request. */
export interface RequestLog {
  readonly body: ChatRequestBody | undefined
  /** The first 500 events. */
  readonly events: readonly StreamEvent[]
  /** The number of all events. */
  readonly count: number
}

export const EMPTY_REQUEST_LOG: RequestLog = { body: undefined, events: [], count: 0 }

const appendEvent = (log: RequestLog, text: string, at: number): RequestLog => ({
  ...log,
  events: log.events.length < EVENTS_MAX ? [...log.events, { at, text: shortenDataUrls(text) }] : log.events,
  count: log.count + 1,
})

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
type Chunk = z.infer<typeof Chunk>

/** Parses one event of a streamed chat completion. Undefined when the event is not JSON. */
export function readChunk(event: string): Chunk | undefined {
  try {
    return Chunk.safeParse(JSON.parse(event)).data
  } catch {
    return undefined
  }
}

/** Appends the delta of a chunk. The reply stays `loading` until a delta has content, reasoning or a tool call. */
export function appendChunk(reply: ChatMessage, chunk: Chunk): ChatMessage {
  const delta = chunk.choices[0]?.delta
  if (!delta) return reply
  const content = reply.content + (delta.content ?? '')
  const reasoning = reply.reasoning + (delta.reasoning_content ?? delta.reasoning ?? '')
  const toolCalls = (delta.tool_calls ?? []).reduce(appendToolCall, reply.toolCalls)
  const hasOutput = content !== '' || reasoning !== '' || toolCalls.length > 0
  return { ...reply, content, reasoning, toolCalls, state: hasOutput ? 'incomplete' : reply.state }
}

function appendToolCall(calls: ToolCall[], delta: z.infer<typeof ToolCallDelta>): ToolCall[] {
  const { index, function: part } = delta
  const earlier = calls.find(call => call.index === index) ?? { index, name: '', arguments: '' }
  const next = {
    index,
    name: earlier.name || (part?.name ?? ''),
    arguments: earlier.arguments + (part?.arguments ?? ''),
  }
  return [...calls.filter(call => call.index !== index), next].toSorted((a, b) => a.index - b.index)
}
