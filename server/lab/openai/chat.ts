import { z } from 'zod'
import {
  completionText,
  countPrompt,
  createCompletion,
  type LabCompletion,
  type LabToolCall,
  type LabUsage,
  type Prompt,
  reasoningText,
} from '../completion.ts'
import type { LabOperation, LabRequest, ResponseFrame } from '../operation.ts'
import { CREATED_SECONDS, openai } from './vendor.ts'

/** Fixed, so that equal requests get equal bytes. */
const FINGERPRINT = 'fp_lab'
const FINISH = { stop: 'stop', length: 'length', tools: 'tool_calls', filter: 'content_filter' } as const

const Part = z.object({ type: z.string(), text: z.string().optional() })
const Content = z.union([z.string(), z.array(Part)]).nullish()
const Message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: Content,
})
const Tool = z.object({ function: z.object({ name: z.string(), parameters: z.unknown().optional() }) })
const Limit = z.number().int().positive().nullish()

const ChatRequest = z.object({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: Limit,
  max_completion_tokens: Limit,
  tools: z.array(Tool).nullish(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.object({ function: z.object({ name: z.string() }) })])
    .nullish(),
})
type ChatRequest = z.infer<typeof ChatRequest>

/** Models that reject `max_tokens`. Source: platform.openai.com/docs/guides/reasoning */
const COMPLETION_LIMIT_ONLY = /^(o\d|gpt-5)/

/** Chat completions. Source: platform.openai.com/docs/api-reference/chat */
export const chat: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta\/openai)\/chat\/completions$/,
  vendor: openai,
  read: body => ChatInput.safeParse(body),
}

const ChatInput = ChatRequest.refine(
  body => body.max_tokens == null || !COMPLETION_LIMIT_ONLY.test(body.model),
  {
    path: ['max_tokens'],
    message: "is not supported with this model. Use 'max_completion_tokens' instead",
  },
).transform((body): LabRequest => {
  const prompt = toPrompt(body)
  const wantsUsage = body.stream_options?.include_usage === true
  return {
    model: body.model,
    lastText: textOf(body.messages.findLast(message => message.role === 'user')?.content),
    isStream: body.stream === true,
    reply(faultPlan) {
      const completion = createCompletion(prompt, faultPlan)
      return { json: () => chatJson(completion), frames: () => chatFrames(completion, wantsUsage) }
    },
  }
})

function toPrompt(body: ChatRequest): Prompt {
  const chosen = typeof body.tool_choice === 'object' ? body.tool_choice?.function.name : undefined
  const tools = (body.tool_choice === 'none' ? [] : (body.tools ?? []))
    .map(tool => ({ name: tool.function.name, schema: tool.function.parameters }))
    .filter(tool => chosen === undefined || tool.name === chosen)
  const chars = body.messages.reduce((sum, message) => sum + textOf(message.content).length, 0)
  const images = body.messages.reduce((sum, message) => sum + countImages(message.content), 0)
  return {
    model: body.model,
    tokens: countPrompt(chars, images),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY,
    tools,
    mustCallTool: body.tool_choice === 'required' || chosen !== undefined,
    hasToolResult: body.messages.at(-1)?.role === 'tool',
  }
}

function textOf(content: z.infer<typeof Content>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(part => part.text ?? '').join('')
}

const countImages = (content: z.infer<typeof Content>): number =>
  Array.isArray(content) ? content.filter(part => part.type !== 'text').length : 0

function chatJson(completion: LabCompletion): unknown {
  const message = {
    role: 'assistant',
    content: completion.textTokens > 0 ? completionText(completion) : null,
    ...(completion.reasoningTokens > 0 && { reasoning_content: reasoningText(completion) }),
    refusal: null,
    annotations: [],
    ...(completion.toolCalls.length > 0 && { tool_calls: completion.toolCalls.map(toToolCall) }),
  }
  return {
    id: 'chatcmpl-lab',
    object: 'chat.completion',
    created: CREATED_SECONDS,
    model: completion.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[completion.finish] }],
    ...(completion.usage && { usage: openaiUsage(completion.usage) }),
    service_tier: 'default',
    system_fingerprint: FINGERPRINT,
  }
}

const toToolCall = (call: LabToolCall) => ({
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

function* chatFrames(completion: LabCompletion, wantsUsage: boolean): Generator<ResponseFrame> {
  const head = `data: {"id":"chatcmpl-lab","object":"chat.completion.chunk","created":${CREATED_SECONDS},"model":${JSON.stringify(completion.model)},"service_tier":"default","system_fingerprint":"${FINGERPRINT}",`
  const usageField = wantsUsage ? ',"usage":null' : ''
  const chunk = (delta: unknown, finish: string | null = null): string =>
    `${head}"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]${usageField}}\n\n`

  yield { text: chunk({ role: 'assistant', content: '', refusal: null }), kind: 'other' }
  for (let index = 0; index < completion.reasoningTokens; index++)
    yield { text: chunk({ reasoning_content: completion.reasoningToken(index) }), kind: 'token' }
  for (let index = 0; index < completion.textTokens; index++)
    yield { text: chunk({ content: completion.textToken(index) }), kind: 'token' }
  for (const call of completion.toolCalls) yield* toolFrames(call, chunk)
  yield { text: chunk({}, FINISH[completion.finish]), kind: 'other' }
  if (wantsUsage && completion.usage)
    yield {
      text: `${head}"choices":[],"usage":${JSON.stringify(openaiUsage(completion.usage))}}\n\n`,
      kind: 'other',
    }
  yield { text: 'data: [DONE]\n\n', kind: 'end' }
}

function* toolFrames(call: LabToolCall, chunk: (delta: unknown) => string): Generator<ResponseFrame> {
  const { index, name, pieces } = call
  const started = { index, id: `call_lab_${index}`, type: 'function', function: { name, arguments: '' } }
  yield { text: chunk({ tool_calls: [started] }), kind: 'other' }
  for (const piece of pieces)
    yield { text: chunk({ tool_calls: [{ index, function: { arguments: piece } }] }), kind: 'token' }
}
