import {
  type Answer,
  answerOf,
  answerText,
  type LabToolCall,
  type LabUsage,
  reasoningText,
} from '../answer.ts'
import type { Frame, Operation } from '../operation.ts'
import { ChatAsk } from './read-chat.ts'
import { openai } from './vendor.ts'

/** Answers never differ in these, so that the same request gets the same bytes. */
export const CREATED_SECONDS = 1_751_300_000
const FINGERPRINT = 'fp_lab'
const FINISH = { stop: 'stop', length: 'length', tools: 'tool_calls', filter: 'content_filter' } as const

const Ask = ChatAsk.transform(({ prompt, lastText, isStream, wantsUsage }) => ({
  model: prompt.model,
  lastText,
  isStream,
  reply: (plan: Parameters<typeof answerOf>[1]) => {
    const answer = answerOf(prompt, plan)
    return { whole: () => wholeChat(answer), frames: () => chatFrames(answer, wantsUsage) }
  },
}))

/** Chat completions. Source: platform.openai.com/docs/api-reference/chat */
export const chat: Operation = {
  method: 'POST',
  path: /\/(?:v1|v1beta\/openai)\/chat\/completions$/,
  vendor: openai,
  read: body => Ask.safeParse(body),
}

function wholeChat(answer: Answer): unknown {
  const message = {
    role: 'assistant',
    content: answer.textTokens > 0 ? answerText(answer) : null,
    ...(answer.reasoningTokens > 0 && { reasoning_content: reasoningText(answer) }),
    refusal: null,
    annotations: [],
    ...(answer.toolCalls.length > 0 && { tool_calls: answer.toolCalls.map(toolCall) }),
  }
  return {
    id: 'chatcmpl-lab',
    object: 'chat.completion',
    created: CREATED_SECONDS,
    model: answer.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[answer.finish] }],
    ...(answer.usage && { usage: openaiUsage(answer.usage) }),
    service_tier: 'default',
    system_fingerprint: FINGERPRINT,
  }
}

const toolCall = (call: LabToolCall) => ({
  id: `call_lab_${call.index}`,
  type: 'function',
  function: { name: call.name, arguments: call.pieces.join('') },
})

export const openaiUsage = ({ prompt, cached, output, reasoning }: LabUsage) => ({
  prompt_tokens: prompt,
  completion_tokens: output,
  total_tokens: prompt + output,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: reasoning,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})

function* chatFrames(answer: Answer, wantsUsage: boolean): Generator<Frame> {
  const head = `data: {"id":"chatcmpl-lab","object":"chat.completion.chunk","created":${CREATED_SECONDS},"model":${JSON.stringify(answer.model)},"service_tier":"default","system_fingerprint":"${FINGERPRINT}",`
  const noUsageYet = wantsUsage ? ',"usage":null' : ''
  const chunk = (delta: unknown, finish: string | null = null): string =>
    `${head}"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]${noUsageYet}}\n\n`

  yield { text: chunk({ role: 'assistant', content: '', refusal: null }), kind: 'other' }
  for (let index = 0; index < answer.reasoningTokens; index++)
    yield { text: chunk({ reasoning_content: answer.reasoningToken(index) }), kind: 'token' }
  for (let index = 0; index < answer.textTokens; index++)
    yield { text: chunk({ content: answer.textToken(index) }), kind: 'token' }
  for (const call of answer.toolCalls) yield* toolFrames(call, chunk)
  yield { text: chunk({}, FINISH[answer.finish]), kind: 'other' }
  if (wantsUsage && answer.usage)
    yield {
      text: `${head}"choices":[],"usage":${JSON.stringify(openaiUsage(answer.usage))}}\n\n`,
      kind: 'other',
    }
  yield { text: 'data: [DONE]\n\n', kind: 'end' }
}

function* toolFrames(call: LabToolCall, chunk: (delta: unknown) => string): Generator<Frame> {
  const { index, name, pieces } = call
  const opened = { index, id: `call_lab_${index}`, type: 'function', function: { name, arguments: '' } }
  yield { text: chunk({ tool_calls: [opened] }), kind: 'other' }
  for (const piece of pieces)
    yield { text: chunk({ tool_calls: [{ index, function: { arguments: piece } }] }), kind: 'token' }
}
