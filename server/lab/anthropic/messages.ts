import {
  type Answer,
  answerOf,
  answerText,
  type LabToolCall,
  type LabUsage,
  reasoningText,
} from '../answer.ts'
import type { Ask, Frame, Operation } from '../operation.ts'
import { MessagesAsk } from './read-messages.ts'
import { anthropic } from './vendor.ts'

const STOP_REASON = { stop: 'end_turn', length: 'max_tokens', tools: 'tool_use', filter: 'refusal' } as const
const SIGNATURE = 'bGFiLXNpZ25hdHVyZQ=='

const ReadAsk = MessagesAsk.transform(
  ({ prompt, lastText, isStream }): Ask => ({
    model: prompt.model,
    lastText,
    isStream,
    reply(plan) {
      const answer = answerOf(prompt, plan)
      return { whole: () => wholeMessage(answer), frames: () => messageFrames(answer) }
    },
  }),
)

/** Source: platform.claude.com/docs/en/api/messages and /docs/en/build-with-claude/streaming */
export const messages: Operation = {
  method: 'POST',
  path: /\/v1\/messages$/,
  vendor: anthropic,
  read: body => ReadAsk.safeParse(body),
}

const opened = (answer: Answer) => ({
  id: 'msg_lab',
  type: 'message',
  role: 'assistant',
  model: answer.model,
})

function wholeMessage(answer: Answer): unknown {
  const content = [
    ...(answer.reasoningTokens > 0
      ? [{ type: 'thinking', thinking: reasoningText(answer), signature: SIGNATURE }]
      : []),
    ...(answer.textTokens > 0 ? [{ type: 'text', text: answerText(answer) }] : []),
    ...answer.toolCalls.map(call => ({ ...toolUse(call), input: call.arguments })),
  ]
  return {
    ...opened(answer),
    content,
    stop_reason: STOP_REASON[answer.finish],
    stop_sequence: null,
    ...(answer.usage && { usage: usageOf(answer.usage, answer.usage.output) }),
  }
}

const toolUse = (call: LabToolCall) => ({ type: 'tool_use', id: `toolu_lab_${call.index}`, name: call.name })

const usageOf = ({ prompt, cached, cacheWrite }: LabUsage, output_tokens: number) => ({
  input_tokens: prompt - cached - cacheWrite,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cached,
  cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
  output_tokens,
  service_tier: 'standard',
})

const event = (type: string, rest: object, kind: Frame['kind'] = 'other'): Frame => ({
  text: `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`,
  kind,
})

function* messageFrames(answer: Answer): Generator<Frame> {
  const { usage } = answer
  const message = {
    ...opened(answer),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(usage && { usage: usageOf(usage, Math.min(1, usage.output)) }),
  }
  yield event('message_start', { message })
  yield event('ping', {})
  yield* blockFrames(answer)
  yield event('message_delta', {
    delta: { stop_reason: STOP_REASON[answer.finish], stop_sequence: null },
    ...(usage && { usage: { output_tokens: usage.output } }),
  })
  yield event('message_stop', {}, 'end')
}

function* blockFrames(answer: Answer): Generator<Frame> {
  let index = 0
  if (answer.reasoningTokens > 0) yield* thinkingFrames(answer, index++)
  if (answer.textTokens > 0) yield* textFrames(answer, index++)
  for (const call of answer.toolCalls) yield* toolFrames(call, index++)
}

function* thinkingFrames(answer: Answer, index: number): Generator<Frame> {
  yield event('content_block_start', {
    index,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  })
  for (let token = 0; token < answer.reasoningTokens; token++)
    yield deltaFrame(index, { type: 'thinking_delta', thinking: answer.reasoningToken(token) }, 'token')
  yield deltaFrame(index, { type: 'signature_delta', signature: SIGNATURE }, 'other')
  yield event('content_block_stop', { index })
}

function* textFrames(answer: Answer, index: number): Generator<Frame> {
  yield event('content_block_start', { index, content_block: { type: 'text', text: '' } })
  for (let token = 0; token < answer.textTokens; token++)
    yield deltaFrame(index, { type: 'text_delta', text: answer.textToken(token) }, 'token')
  yield event('content_block_stop', { index })
}

function* toolFrames(call: LabToolCall, index: number): Generator<Frame> {
  yield event('content_block_start', { index, content_block: { ...toolUse(call), input: {} } })
  yield deltaFrame(index, { type: 'input_json_delta', partial_json: '' }, 'other')
  for (const partial_json of call.pieces)
    yield deltaFrame(index, { type: 'input_json_delta', partial_json }, 'token')
  yield event('content_block_stop', { index })
}

const deltaFrame = (index: number, delta: object, kind: Frame['kind']): Frame =>
  event('content_block_delta', { index, delta }, kind)
