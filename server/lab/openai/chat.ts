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
  requestId,
} from '../completion.ts'
import type { LabOperation, LabRequest, ResponseFrame } from '../operation.ts'
import type { OfferedTool } from '../playbook-request.ts'
import { findPlaybook, type HistoryEntry, playbookOf } from '../playbooks.ts'
import { findChatProblem } from './check-chat.ts'
import { tokenLogprob } from './logprobs.ts'
import { CREATED_SECONDS, openai } from './provider.ts'

/** Fixed, so that equal requests get equal bytes. */
const FINGERPRINT = 'fp_lab'
const FINISH = { stop: 'stop', length: 'length', tools: 'tool_calls', filter: 'content_filter' } as const

const Part = z.object({ type: z.string(), text: z.string().optional() })
const Content = z.union([z.string(), z.array(Part)]).nullish()
const Message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: Content,
  tool_calls: z.array(z.object({ id: z.string() })).nullish(),
  tool_call_id: z.string().nullish(),
})
const Tool = z.union([
  z.object({ function: z.object({ name: z.string(), parameters: z.unknown().optional() }) }),
  z.object({ custom: z.object({ name: z.string() }) }),
])
const toOfferedTool = (tool: z.infer<typeof Tool>): OfferedTool =>
  'custom' in tool
    ? { name: tool.custom.name, schema: {}, isCustom: true }
    : { name: tool.function.name, schema: tool.function.parameters }
const Limit = z.number().int().positive().nullish()

const ChatRequest = z.object({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: Limit,
  max_completion_tokens: Limit,
  tools: z.array(Tool).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.object({ function: z.object({ name: z.string() }) }),
      z.object({ custom: z.object({ name: z.string() }) }),
    ])
    .nullish(),
})
export type ChatRequest = z.infer<typeof ChatRequest>

/** Models that reject `max_tokens`. Source: platform.openai.com/docs/guides/reasoning */
const COMPLETION_LIMIT_ONLY = /^(o\d|gpt-5)/

/** Chat completions. Source: platform.openai.com/docs/api-reference/chat */
export const chat: LabOperation = {
  method: 'POST',
  path: /\/(?:v1|v1beta\/openai)\/chat\/completions$/,
  provider: openai,
  read: body =>
    ChatInput.transform(
      (request): LabRequest => ({ ...request, findProblem: () => findChatProblem(Object(body)) }),
    ).safeParse(body),
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
    ...playbookOf(prompt),
    reply(faultPlan) {
      const completion = createCompletion(prompt, faultPlan)
      const topCount = body.logprobs ? (body.top_logprobs ?? 0) : undefined
      return {
        json: () => chatJson(completion, topCount),
        frames: () => chatFrames(completion, wantsUsage, topCount),
      }
    },
  }
})

function toPrompt(body: ChatRequest): Prompt {
  const choice = typeof body.tool_choice === 'object' ? body.tool_choice : undefined
  const chosen = choice && toOfferedTool(choice).name
  const tools = (body.tool_choice === 'none' ? [] : (body.tools ?? []))
    .map(toOfferedTool)
    .filter(tool => chosen === undefined || tool.name === chosen)
  const chars = body.messages.reduce((sum, message) => sum + textOf(message.content).length, 0)
  const images = body.messages.reduce((sum, message) => sum + countImages(message.content), 0)
  return {
    model: body.model,
    id: requestId(body),
    tokens: countPrompt(chars, images),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY,
    tools,
    mustCallTool: body.tool_choice === 'required' || chosen !== undefined,
    isSequential: body.parallel_tool_calls === false,
    hasToolResult: body.messages.at(-1)?.role === 'tool',
    playbook: findPlaybook(body.messages.flatMap(toHistory)),
  }
}

function toHistory({ role, content }: z.infer<typeof Message>): readonly HistoryEntry[] {
  if (role === 'tool') return ['tool-result']
  return role === 'user' ? [{ userText: textOf(content) }] : []
}

function textOf(content: z.infer<typeof Content>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(part => part.text ?? '').join('')
}

const countImages = (content: z.infer<typeof Content>): number =>
  Array.isArray(content) ? content.filter(part => part.type !== 'text').length : 0

/** `topCount` is the number of most likely tokens to list. Undefined for no log probabilities. */
function chatJson(completion: LabCompletion, topCount: number | undefined): unknown {
  const text = completion.textTokens > 0 ? completionText(completion) : null
  const message = {
    role: 'assistant',
    content: completion.isDeclined ? null : text,
    ...(completion.reasoningTokens > 0 && { reasoning_content: reasoningText(completion) }),
    refusal: completion.isDeclined ? text : null,
    annotations: [],
    ...(completion.toolCalls.length > 0 && { tool_calls: completion.toolCalls.map(toToolCall) }),
  }
  return {
    id: `chatcmpl-lab-${completion.id}`,
    object: 'chat.completion',
    created: CREATED_SECONDS,
    model: completion.model,
    choices: [
      {
        index: 0,
        message,
        logprobs: toLogprobs(listTextTokens(completion), completion, topCount),
        finish_reason: FINISH[completion.finish],
      },
    ],
    ...(completion.usage && { usage: openaiUsage(completion.usage) }),
    service_tier: 'default',
    system_fingerprint: FINGERPRINT,
  }
}

const listTextTokens = ({ textTokens, textToken }: LabCompletion): readonly string[] =>
  Array.from({ length: textTokens }, (_, index) => textToken(index))

function toLogprobs(tokens: readonly string[], { isDeclined }: LabCompletion, topCount: number | undefined) {
  if (topCount === undefined) return null
  const list = tokens.map(token => tokenLogprob(token, topCount))
  return isDeclined ? { content: null, refusal: list } : { content: list, refusal: null }
}

/** A call, or a piece of it, under the type of its tool. */
const callFields = ({ tool }: LabToolCall, text: string, name?: string) =>
  tool?.isCustom
    ? { type: 'custom', custom: { name, input: text } }
    : { type: 'function', function: { name, arguments: text } }

const toToolCall = (call: LabToolCall) => ({
  id: `call_${call.id}`,
  ...callFields(call, call.pieces.join(''), call.name),
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

function* chatFrames(
  completion: LabCompletion,
  wantsUsage: boolean,
  topCount: number | undefined,
): Generator<ResponseFrame> {
  const head = `data: {"id":"chatcmpl-lab-${completion.id}","object":"chat.completion.chunk","created":${CREATED_SECONDS},"model":${JSON.stringify(completion.model)},"service_tier":"default","system_fingerprint":"${FINGERPRINT}",`
  const usageField = wantsUsage ? ',"usage":null' : ''
  const chunk = (delta: unknown, finish: string | null = null, logprobs: unknown = null): string =>
    `${head}"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":${JSON.stringify(logprobs)},"finish_reason":${JSON.stringify(finish)}}]${usageField}}\n\n`

  const textFrame = (token: string): ResponseFrame => ({
    text: chunk(
      { [completion.isDeclined ? 'refusal' : 'content']: token },
      null,
      toLogprobs([token], completion, topCount),
    ),
    kind: 'token',
  })

  yield { text: chunk({ role: 'assistant', content: '', refusal: null }), kind: 'other' }
  for (let index = 0; index < completion.reasoningTokens; index++)
    yield { text: chunk({ reasoning_content: completion.reasoningToken(index) }), kind: 'token' }
  for (let index = 0; index < completion.textTokens; index++) yield textFrame(completion.textToken(index))
  yield* callFrames(completion, chunk)
  yield { text: chunk({}, FINISH[completion.finish]), kind: 'other' }
  if (wantsUsage && completion.usage)
    yield {
      text: `${head}"choices":[],"usage":${JSON.stringify(openaiUsage(completion.usage))}}\n\n`,
      kind: 'other',
    }
  yield { text: 'data: [DONE]\n\n', kind: 'end' }
}

type WriteChunk = (delta: unknown) => string

function* callFrames(
  { toolCalls, isInterleaved }: LabCompletion,
  chunk: WriteChunk,
): Generator<ResponseFrame> {
  const frames = toolCalls.map(call => toolFrames(call, chunk))
  if (!isInterleaved) {
    for (const list of frames) yield* list
    return
  }
  const rounds = Math.max(0, ...frames.map(list => list.length))
  for (let round = 0; round < rounds; round++) yield* frames.flatMap(list => list.slice(round, round + 1))
}

function toolFrames(call: LabToolCall, chunk: WriteChunk): readonly ResponseFrame[] {
  const { index, id, name, pieces } = call
  const started = { index, id: `call_${id}`, ...callFields(call, '', name) }
  const toDelta = (piece: string) => {
    const { type: _, ...delta } = callFields(call, piece)
    return { index, ...delta }
  }
  return [
    { text: chunk({ tool_calls: [started] }), kind: 'other' },
    ...pieces.map(
      (piece): ResponseFrame => ({ text: chunk({ tool_calls: [toDelta(piece)] }), kind: 'token' }),
    ),
  ]
}
