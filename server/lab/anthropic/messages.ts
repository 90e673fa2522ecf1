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
import { ANTHROPIC_MODELS, FAULT_MODELS } from '../offered-models.ts'
import { fixedOperation, type LabOperation, type LabRequest, type ResponseFrame } from '../operation.ts'
import { findPlaybook, type HistoryEntry, playbookOf } from '../playbooks.ts'
import { signContent } from '../signatures.ts'
import { findMessagesProblem } from './check-messages.ts'
import { anthropic } from './provider.ts'

const STOP_REASON = { stop: 'end_turn', length: 'max_tokens', tools: 'tool_use', filter: 'refusal' } as const

const Block = z.object({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() })
const Content = z.union([z.string(), z.array(Block)])
type Content = z.infer<typeof Content>

const MessagesRequest = z.object({
  model: z.string().min(1),
  max_tokens: z.number().int().positive(),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system']), content: Content })).min(1),
  system: Content.optional(),
  stream: z.boolean().optional(),
  thinking: z.object({ type: z.string() }).optional(),
  tools: z.array(z.object({ name: z.string(), input_schema: z.unknown().optional() })).optional(),
  tool_choice: z
    .object({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
})
type MessagesRequest = z.infer<typeof MessagesRequest>

/** Messages. Source: platform.claude.com/docs/en/api/messages and /docs/en/build-with-claude/streaming */
export const messages: LabOperation = {
  method: 'POST',
  path: /\/v1\/messages$/,
  provider: anthropic,
  read: body =>
    MessagesInput.transform(
      (request): LabRequest => ({ ...request, findProblem: () => findMessagesProblem(Object(body)) }),
    ).safeParse(body),
}

const MessagesInput = MessagesRequest.transform((body): LabRequest => {
  const prompt = toPrompt(body)
  return {
    model: body.model,
    lastText: textOf(body.messages.findLast(message => message.role === 'user')?.content ?? ''),
    isStream: body.stream === true,
    ...playbookOf(prompt),
    reply(faultPlan) {
      const completion = createCompletion(prompt, faultPlan)
      return { json: () => messageJson(completion), frames: () => messageFrames(completion) }
    },
  }
})

function toPrompt(body: MessagesRequest): Prompt {
  const { tool_choice: choice } = body
  const contents = [body.system ?? '', ...body.messages.map(message => message.content)]
  const chars = contents.reduce((sum, content) => sum + textOf(content).length, 0)
  const images = contents.reduce((sum, content) => sum + countImages(content), 0)
  return {
    model: body.model,
    id: requestId(body),
    tokens: countPrompt(chars, images),
    maxTokens: body.max_tokens,
    tools: (choice?.type === 'none' ? [] : (body.tools ?? []))
      .filter(tool => choice?.type !== 'tool' || tool.name === choice.name)
      .map(tool => ({ name: tool.name, schema: tool.input_schema })),
    mustCallTool: choice?.type === 'any' || choice?.type === 'tool',
    mustThink: body.thinking?.type === 'enabled',
    isSequential: choice?.disable_parallel_tool_use === true,
    hasToolResult: blocksOf(body.messages.at(-1)?.content ?? '').some(block => block.type === 'tool_result'),
    playbook: findPlaybook(body.messages.flatMap(toHistory)),
  }
}

type Message = MessagesRequest['messages'][number]

function toHistory({ role, content }: Message): readonly HistoryEntry[] {
  if (role !== 'user') return []
  if (typeof content === 'string') return [{ userText: content }]
  return content.flatMap(({ type, text }): readonly HistoryEntry[] => {
    if (type === 'tool_result') return ['tool-result']
    return text === undefined ? [] : [{ userText: text }]
  })
}

const blocksOf = (content: Content): readonly z.infer<typeof Block>[] =>
  typeof content === 'string' ? [] : content

/** Joins text blocks and the text of tool results. */
function textOf(content: Content): string {
  if (typeof content === 'string') return content
  return content.map(block => block.text ?? toolResultText(block.content)).join('')
}

function toolResultText(content: unknown): string {
  const { data } = Content.safeParse(content)
  return data === undefined ? '' : textOf(data)
}

const countImages = (content: Content): number =>
  blocksOf(content).filter(block => block.type === 'image' || block.type === 'document').length

const messageHead = (completion: LabCompletion) => ({
  id: `msg_lab_${completion.id}`,
  type: 'message',
  role: 'assistant',
  model: completion.model,
  container: null,
  diagnostics: null,
})

function messageJson(completion: LabCompletion): unknown {
  const content = [
    ...(completion.reasoningTokens > 0
      ? [
          {
            type: 'thinking',
            thinking: reasoningText(completion),
            signature: signContent(reasoningText(completion)),
          },
        ]
      : []),
    ...(completion.textTokens > 0 ? [{ type: 'text', text: completionText(completion) }] : []),
    ...completion.toolCalls.map(call => ({ ...toolUse(call), input: call.arguments })),
  ]
  return {
    ...messageHead(completion),
    content,
    ...stopFields(completion),
    ...(completion.usage && { usage: toUsage(completion.usage, completion.usage.output) }),
  }
}

const toolUse = (call: LabToolCall) => ({
  type: 'tool_use',
  id: `toolu_${call.id}`,
  name: call.name,
  caller: { type: 'direct' },
})

const stopFields = ({ finish }: LabCompletion) => ({
  stop_reason: STOP_REASON[finish],
  stop_sequence: null,
  stop_details: finish === 'filter' ? { type: 'refusal', category: null, explanation: null } : null,
})

/** The usage at the end of a stream, which counts from its beginning. */
const toDeltaUsage = ({ prompt, cached, cacheWrite, output, reasoning }: LabUsage) => ({
  input_tokens: prompt - cached - cacheWrite,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cached,
  output_tokens: output,
  output_tokens_details: { thinking_tokens: reasoning },
  server_tool_use: null,
})

const toUsage = (usage: LabUsage, output_tokens: number) => ({
  ...toDeltaUsage({ ...usage, output: output_tokens, reasoning: Math.min(usage.reasoning, output_tokens) }),
  cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
  inference_geo: null,
  service_tier: 'standard',
  speed: 'standard',
})

const event = (type: string, fields: object, kind: ResponseFrame['kind'] = 'other'): ResponseFrame => ({
  text: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
  kind,
})

function* messageFrames(completion: LabCompletion): Generator<ResponseFrame> {
  const { usage } = completion
  const message = {
    ...messageHead(completion),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...(usage && { usage: toUsage(usage, Math.min(1, usage.output)) }),
  }
  yield event('message_start', { message })
  yield event('ping', {})
  yield* blockFrames(completion)
  yield event('message_delta', {
    delta: { ...stopFields(completion), container: null },
    ...(usage && { usage: toDeltaUsage(usage) }),
  })
  yield event('message_stop', {}, 'end')
}

function* blockFrames(completion: LabCompletion): Generator<ResponseFrame> {
  let index = 0
  if (completion.reasoningTokens > 0) yield* thinkingFrames(completion, index++)
  if (completion.textTokens > 0) yield* textFrames(completion, index++)
  for (const call of completion.toolCalls) yield* toolFrames(call, index++)
}

function* thinkingFrames(completion: LabCompletion, index: number): Generator<ResponseFrame> {
  yield event('content_block_start', {
    index,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  })
  for (let token = 0; token < completion.reasoningTokens; token++)
    yield deltaFrame(index, { type: 'thinking_delta', thinking: completion.reasoningToken(token) }, 'token')
  yield deltaFrame(
    index,
    { type: 'signature_delta', signature: signContent(reasoningText(completion)) },
    'other',
  )
  yield event('content_block_stop', { index })
}

function* textFrames(completion: LabCompletion, index: number): Generator<ResponseFrame> {
  yield event('content_block_start', { index, content_block: { type: 'text', text: '' } })
  for (let token = 0; token < completion.textTokens; token++)
    yield deltaFrame(index, { type: 'text_delta', text: completion.textToken(token) }, 'token')
  yield event('content_block_stop', { index })
}

function* toolFrames(call: LabToolCall, index: number): Generator<ResponseFrame> {
  yield event('content_block_start', { index, content_block: { ...toolUse(call), input: {} } })
  yield deltaFrame(index, { type: 'input_json_delta', partial_json: '' }, 'other')
  for (const partial_json of call.pieces)
    yield deltaFrame(index, { type: 'input_json_delta', partial_json }, 'token')
  yield event('content_block_stop', { index })
}

const deltaFrame = (index: number, delta: object, kind: ResponseFrame['kind']): ResponseFrame =>
  event('content_block_delta', { index, delta }, kind)

const MODEL_IDS = [...ANTHROPIC_MODELS, ...FAULT_MODELS]

const toModel = (id: string) => ({ type: 'model', id, display_name: id, created_at: '2025-06-30T00:00:00Z' })

/** The model list. OpenAI uses the same path, so the version header decides which provider it is. */
export const listModels: LabOperation = {
  ...fixedOperation(anthropic, /\/v1\/models$/, () => ({
    data: MODEL_IDS.map(toModel),
    has_more: false,
    first_id: MODEL_IDS[0],
    last_id: MODEL_IDS.at(-1),
  })),
  isFor: request => request.headers.has('anthropic-version'),
}
