import {
  completionText,
  createCompletion,
  type LabCompletion,
  type LabToolCall,
  type LabUsage,
  reasoningText,
} from '../completion.ts'
import type { LabOperation, LabRequest, ResponseFrame } from '../operation.ts'
import type { TypedTool } from '../playbook-request.ts'
import { findPlaybook, type HistoryEntry, playbookOf } from '../playbooks.ts'
import { encryptContent } from '../signatures.ts'
import { findResponsesProblem } from './check-responses.ts'
import { tokenLogprob } from './logprobs.ts'
import { CREATED_SECONDS, openai } from './provider.ts'
import { ResponsesInput, type ResponsesItem, textOf } from './read-responses.ts'
import { listStoredItems, storeResponse } from './stored-responses.ts'

const INCOMPLETE_REASONS = {
  length: 'max_output_tokens',
  filter: 'content_filter',
  stop: null,
  tools: null,
} as const
/** Responses. Source: platform.openai.com/docs/api-reference/responses and /responses-streaming */
export const responses: LabOperation = {
  method: 'POST',
  path: /\/v1\/responses$/,
  isLive: true,
  provider: {
    ...openai,
    errorFrame: providerError =>
      `event: error\ndata: ${JSON.stringify({ type: 'error', ...Object(providerError.body) })}\n\n`,
  },
  read: (body, target) =>
    ResponsesInput.transform((input): LabRequest => toLabRequest(input, target.account)).safeParse(body),
}

function toLabRequest(input: ResponsesInput, account: string): LabRequest {
  const { lastText, isStream, request } = input
  const earlier = listStoredItems(account, request.previous_response_id ?? '')
  const prompt = { ...input.prompt, playbook: findPlaybook([...earlier, ...input.items].flatMap(toHistory)) }
  return {
    model: prompt.model,
    lastText,
    isStream,
    findProblem: () => findResponsesProblem(input, account),
    ...playbookOf(prompt),
    reply(faultPlan) {
      const exchange: LabExchange = { input, account, completion: createCompletion(prompt, faultPlan) }
      return { json: () => finishedResponse(exchange), frames: () => responseFrames(exchange) }
    },
  }
}

function toHistory({ type, role, content }: ResponsesItem): readonly HistoryEntry[] {
  if (type?.endsWith('_output')) return ['tool-result']
  return role === 'user' ? [{ userText: textOf(content) }] : []
}

/** A completion with the request that it answers. */
interface LabExchange {
  readonly input: ResponsesInput
  readonly account: string
  readonly completion: LabCompletion
}

/** The values that the API reports where a request names none. */
const REQUEST_DEFAULTS: Readonly<Record<string, unknown>> = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

function responseObject({ input: { request }, completion }: LabExchange, fields: object) {
  const defaults = Object.entries(REQUEST_DEFAULTS)
  return {
    id: `resp_lab_${completion.id}`,
    object: 'response',
    created_at: CREATED_SECONDS,
    status: 'in_progress',
    completed_at: null,
    error: null,
    incomplete_details: null,
    ...Object.fromEntries(defaults.map(([name, value]) => [name, request[name] ?? value])),
    model: completion.model,
    output: [],
    access_programs: null,
    frequency_penalty: 0,
    presence_penalty: 0,
    reasoning: { effort: null, summary: null, ...Object(request.reasoning) },
    service_tier: 'default',
    text: toTextField(Object(request.text)),
    tools: (request.tools ?? []).map(tool =>
      tool.type === 'function' ? { description: null, parameters: null, strict: true, ...tool } : tool,
    ),
    usage: null,
    ...fields,
  }
}

/** Also stores the response, unless the client forbids it. */
function finishedResponse(exchange: LabExchange) {
  const { input, account, completion } = exchange
  const reason = INCOMPLETE_REASONS[completion.finish]
  const output = outputItems(exchange).map(({ item }) => item)
  const response = responseObject(exchange, {
    status: reason ? 'incomplete' : 'completed',
    completed_at: reason ? null : CREATED_SECONDS,
    incomplete_details: reason && { reason },
    output,
    usage: completion.usage ? toUsage(completion.usage) : null,
  })
  if (input.request.store !== false) {
    const earlier = listStoredItems(account, input.request.previous_response_id ?? '')
    const items = [...earlier, ...input.items, ...output]
    storeResponse(account, response.id, { response, items, inputItems: input.items })
  }
  return response
}

const toUsage = ({ prompt, cached, output, reasoning }: LabUsage) => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: prompt + output,
})

interface OutputItem {
  readonly id: string
  readonly type: string
  readonly call_id?: string
  readonly [field: string]: unknown
}

/** One output item, complete and as the events that a stream sends for it. */
interface LabItem {
  /** The completed item. */
  readonly item: OutputItem
  /** The item as it begins. */
  readonly started: object
  /** Events around the deltas, without the place of the item: type and further fields. */
  readonly opening: readonly (readonly [type: string, fields: object])[]
  readonly closing: readonly (readonly [type: string, fields: object])[]
  readonly deltaType: string
  readonly deltaFields?: (delta: string) => object
  deltas(): Iterable<string>
}

function outputItems(exchange: LabExchange): readonly LabItem[] {
  const { completion } = exchange
  return [
    ...(completion.reasoningTokens > 0 ? [reasoningItem(exchange)] : []),
    ...(completion.textTokens > 0 ? [messageItem(exchange)] : []),
    ...completion.toolCalls.map(call =>
      call.tool?.knownAs ? knownCallItem(call, call.tool.knownAs) : toolCallItem(call),
    ),
  ]
}

/** Encrypted content is only included on request, as the provider does. */
function reasoningItem({ input, account, completion }: LabExchange): LabItem {
  const started = { id: `rs_lab_${completion.id}`, type: 'reasoning', summary: [] }
  const text = reasoningText(completion)
  const part = { type: 'summary_text', text }
  const isEncrypted = input.request.include?.includes('reasoning.encrypted_content')
  return {
    item: {
      ...started,
      summary: [part],
      ...(isEncrypted && { encrypted_content: encryptContent(account, completion.id + text) }),
    },
    started,
    opening: [['response.reasoning_summary_part.added', { summary_index: 0, part: { ...part, text: '' } }]],
    closing: [
      ['response.reasoning_summary_text.done', { summary_index: 0, text }],
      ['response.reasoning_summary_part.done', { summary_index: 0, part }],
    ],
    deltaType: 'response.reasoning_summary_text.delta',
    deltaFields: () => ({ summary_index: 0 }),
    deltas: () => listTokens(completion.reasoningTokens, completion.reasoningToken),
  }
}

function messageItem({ input: { request }, completion }: LabExchange): LabItem {
  const id = `msg_lab_${completion.id}`
  const started = { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const text = completionText(completion)
  const tokens = [...listTokens(completion.textTokens, completion.textToken)]
  const hasLogprobs = request.include?.includes('message.output_text.logprobs') === true
  const logprobsOf = (list: readonly string[]) =>
    hasLogprobs ? list.map(token => tokenLogprob(token, request.top_logprobs ?? 0)) : []
  const textPart = (of: string, list: readonly string[]) =>
    completion.isDeclined
      ? { type: 'refusal', refusal: of }
      : { type: 'output_text', annotations: [], logprobs: logprobsOf(list), text: of }
  const kind = completion.isDeclined ? 'refusal' : 'output_text'
  const part = textPart(text, tokens)
  const done = completion.isDeclined ? { refusal: text } : { text, logprobs: logprobsOf(tokens) }
  return {
    item: {
      ...started,
      status: INCOMPLETE_REASONS[completion.finish] ? 'incomplete' : 'completed',
      content: [part],
    },
    started,
    opening: [['response.content_part.added', { content_index: 0, part: textPart('', []) }]],
    closing: [
      [`response.${kind}.done`, { content_index: 0, ...done }],
      ['response.content_part.done', { content_index: 0, part }],
    ],
    deltaType: `response.${kind}.delta`,
    deltaFields: token => ({
      content_index: 0,
      ...(!completion.isDeclined && { logprobs: logprobsOf([token]) }),
    }),
    deltas: () => tokens,
  }
}

const KNOWN_FIELDS: Readonly<Record<TypedTool, (values: unknown) => object>> = {
  tool_search: values => ({ execution: 'client', arguments: values }),
  shell: values => ({
    action: { timeout_ms: null, max_output_length: null, ...Object(values) },
    environment: { type: 'local' },
  }),
  apply_patch: values => ({ operation: values }),
}

/** What the client is to do is an object, which arrives at once. */
function knownCallItem({ id, arguments: values }: LabToolCall, knownAs: TypedTool): LabItem {
  const started = {
    id: `tc_${id}`,
    type: `${knownAs}_call`,
    call_id: `call_${id}`,
    status: 'in_progress',
    ...KNOWN_FIELDS[knownAs](values),
  }
  return {
    item: { ...started, status: 'completed' },
    started,
    opening: [],
    closing: [],
    deltaType: '',
    deltas: () => [],
  }
}

function toolCallItem({ id: callId, name, tool, pieces }: LabToolCall): LabItem {
  const [prefix, type, field] = tool?.isCustom
    ? ['ctc', 'custom_tool_call', 'input']
    : ['fc', 'function_call', 'arguments']
  const started = {
    id: `${prefix}_${callId}`,
    type,
    status: 'in_progress',
    [field]: '',
    call_id: `call_${callId}`,
    name,
    ...(tool?.namespace !== undefined && { namespace: tool.namespace }),
  }
  const text = { [field]: pieces.join('') }
  const event = tool?.isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  return {
    item: { ...started, status: 'completed', ...text },
    started,
    opening: [],
    closing: [[`${event}.done`, { ...text, ...(!tool?.isCustom && { name }) }]],
    deltaType: `${event}.delta`,
    deltas: () => pieces,
  }
}

function* listTokens(count: number, token: (index: number) => string): Generator<string> {
  for (let index = 0; index < count; index++) yield token(index)
}

function* responseFrames(exchange: LabExchange): Generator<ResponseFrame> {
  let sequenceNumber = 0
  const frame = (kind: ResponseFrame['kind'], type: string, fields: object): ResponseFrame => {
    const body = JSON.stringify({ type, sequence_number: sequenceNumber, ...fields })
    sequenceNumber += 1
    return { text: `event: ${type}\ndata: ${body}\n\n`, kind }
  }
  yield frame('other', 'response.created', { response: responseObject(exchange, {}) })
  yield frame('other', 'response.in_progress', { response: responseObject(exchange, {}) })
  for (const [output_index, labItem] of outputItems(exchange).entries()) {
    const { item, started, opening, closing, deltaType, deltaFields, deltas } = labItem
    const at = { item_id: item.id, output_index }
    yield frame('other', 'response.output_item.added', { output_index, item: started })
    for (const [type, fields] of opening) yield frame('other', type, { ...at, ...fields })
    for (const delta of deltas()) yield frame('token', deltaType, { ...at, ...deltaFields?.(delta), delta })
    for (const [type, fields] of closing) yield frame('other', type, { ...at, ...fields })
    yield frame('other', 'response.output_item.done', { output_index, item })
  }
  const response = finishedResponse(exchange)
  yield frame('end', `response.${response.status}`, { response })
}

interface TextField {
  readonly format?: { readonly type?: unknown }
}

const toTextField = ({ format = { type: 'text' }, ...text }: TextField): object => ({
  format: format.type === 'json_schema' ? { description: null, strict: false, ...format } : format,
  verbosity: 'medium',
  ...text,
})
