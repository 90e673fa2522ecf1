import type { JsonObject } from '#server/provider-kit/json.ts'

/** Tokens by what they are, none counted twice. */
export interface Buckets {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly audioInput: number
  readonly imageInput: number
  readonly output: number
  readonly reasoning: number
  readonly audioOutput: number
  readonly imageOutput: number
}

/** How a provider writes one response with its usage, whole and as a stream. */
export interface NativeFormat {
  /** The buckets that it tells apart; others are 0. */
  readonly tells: readonly (keyof Buckets)[]
  readonly path: RegExp
  json(used: Buckets): JsonObject
  /** Where providers have been seen to put the usage of a stream, and how they end it. */
  readonly streams: Readonly<Record<string, (used: Buckets) => readonly JsonObject[]>>
  /** A stream that has begun a call. */
  readonly callStart: readonly JsonObject[]
}

export const promptOf = (used: Buckets): number =>
  used.input + used.cachedInput + used.cacheWrite + used.audioInput + used.imageInput
export const completionOf = (used: Buckets): number =>
  used.output + used.reasoning + used.audioOutput + used.imageOutput

const chatUsage = (used: Buckets, writes = 'cache_write_tokens'): JsonObject => ({
  prompt_tokens: promptOf(used),
  completion_tokens: completionOf(used),
  total_tokens: promptOf(used) + completionOf(used),
  prompt_tokens_details: {
    cached_tokens: used.cachedInput,
    [writes]: used.cacheWrite,
    audio_tokens: used.audioInput,
    image_tokens: used.imageInput,
  },
  completion_tokens_details: {
    reasoning_tokens: used.reasoning,
    audio_tokens: used.audioOutput,
    image_tokens: used.imageOutput,
  },
})
/** A response that has only begun. */
const startOf = (used: Buckets): Buckets => ({
  ...used,
  output: 1,
  reasoning: 0,
  audioOutput: 0,
  imageOutput: 0,
})
const delta = (fields: JsonObject, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
})
const OPENED = delta({ role: 'assistant', content: 'ok' })
const CLOSED = delta({}, 'stop')

const chat: NativeFormat = {
  callStart: [
    delta({
      tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a' } }],
    }),
  ],
  tells: [
    ...(['input', 'cachedInput', 'cacheWrite', 'audioInput', 'imageInput'] as const),
    ...(['output', 'reasoning', 'audioOutput', 'imageOutput'] as const),
  ],
  path: /\/chat\/completions/,
  json: used => ({
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: chatUsage(used),
  }),
  streams: {
    'after the choices': used => [OPENED, CLOSED, { choices: [], usage: chatUsage(used) }],
    'after the choices, without their list': used => [OPENED, CLOSED, { usage: chatUsage(used) }],
    'with the last choice': used => [OPENED, { ...CLOSED, usage: chatUsage(used) }],
    'in the last choice': used => [
      OPENED,
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: chatUsage(used) }] },
    ],
    'in a field of its own': used => [OPENED, { ...CLOSED, x_groq: { usage: chatUsage(used) } }],
    'in every event, growing': used => [
      { ...OPENED, usage: chatUsage(startOf(used)) },
      { ...CLOSED, usage: chatUsage(used) },
    ],
    'twice, and null before': used => [
      { ...OPENED, usage: null },
      { ...CLOSED, usage: chatUsage(used) },
      { choices: [], usage: chatUsage(used) },
    ],
    'with writes of other names': used => [
      OPENED,
      CLOSED,
      { choices: [], usage: chatUsage(used, 'cache_creation_tokens') },
    ],
  },
}

const responsesUsage = (used: Buckets): JsonObject => ({
  input_tokens: promptOf(used),
  input_tokens_details: {
    cached_tokens: used.cachedInput,
    cache_write_tokens: used.cacheWrite,
    cache_write_tokens_details: { ttl_30m_tokens: used.cacheWrite, ttl_12h_tokens: 0 },
  },
  output_tokens: completionOf(used),
  output_tokens_details: { reasoning_tokens: used.reasoning },
  total_tokens: promptOf(used) + completionOf(used),
})
const MESSAGE_ITEM = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'ok', annotations: [] }],
}
const response = (used: Buckets, fields: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output: [MESSAGE_ITEM],
  usage: responsesUsage(used),
  ...fields,
})
const RESPONSE_START = {
  type: 'response.created',
  response: { id: 'resp_1', status: 'in_progress', output: [] },
}
const TEXT_ADDED = {
  type: 'response.output_item.added',
  output_index: 0,
  item: { ...MESSAGE_ITEM, status: 'in_progress', content: [] },
}
const TEXT_DELTA = {
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  delta: 'ok',
}
const TEXT_DONE = { type: 'response.output_item.done', output_index: 0, item: MESSAGE_ITEM }

const responses: NativeFormat = {
  callStart: [
    RESPONSE_START,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { id: 'i', type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', item_id: 'i', output_index: 0, delta: '{"a' },
  ],
  tells: ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning'],
  path: /\/responses/,
  json: used => response(used),
  streams: {
    'in response.completed': used => [
      RESPONSE_START,
      TEXT_ADDED,
      TEXT_DELTA,
      TEXT_DONE,
      { type: 'response.completed', response: response(used) },
    ],
    'in response.done': used => [
      RESPONSE_START,
      TEXT_ADDED,
      TEXT_DELTA,
      TEXT_DONE,
      { type: 'response.done', response: response(used) },
    ],
    'in response.done, with text alone before': used => [
      RESPONSE_START,
      TEXT_DELTA,
      { type: 'response.done', response: response(used) },
    ],
    'in response.completed, without output there': used => [
      RESPONSE_START,
      TEXT_ADDED,
      TEXT_DELTA,
      TEXT_DONE,
      { type: 'response.completed', response: response(used, { output: [] }) },
    ],
    'in response.incomplete': used => [
      RESPONSE_START,
      TEXT_ADDED,
      TEXT_DELTA,
      {
        type: 'response.incomplete',
        response: response(used, {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
        }),
      },
    ],
  },
}

const messageUsage = (used: Buckets): JsonObject => ({
  input_tokens: used.input,
  cache_read_input_tokens: used.cachedInput,
  cache_creation_input_tokens: used.cacheWrite,
  cache_creation: { ephemeral_5m_input_tokens: used.cacheWrite, ephemeral_1h_input_tokens: 0 },
  output_tokens: completionOf(used),
  output_tokens_details: { thinking_tokens: used.reasoning },
})
const messageStart = (usage: JsonObject) => ({
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', content: [], usage },
})
const BLOCK = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
  { type: 'content_block_stop', index: 0 },
]
const messageDelta = (usage: JsonObject) => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  usage,
})
const MESSAGE_STOP = { type: 'message_stop' }

const messages: NativeFormat = {
  callStart: [
    messageStart({ input_tokens: 9, output_tokens: 1 }),
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"a' },
    },
  ],
  tells: ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning'],
  path: /\/messages/,
  json: used => ({
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    usage: messageUsage(used),
  }),
  streams: {
    'at the start and at the end': used => [
      messageStart(messageUsage(startOf(used))),
      ...BLOCK,
      messageDelta({
        output_tokens: completionOf(used),
        output_tokens_details: { thinking_tokens: used.reasoning },
      }),
      MESSAGE_STOP,
    ],
    'at the end alone': used => [
      messageStart({ input_tokens: 0, output_tokens: 0 }),
      ...BLOCK,
      messageDelta(messageUsage(used)),
      MESSAGE_STOP,
    ],
    'whole at both': used => [
      messageStart(messageUsage(startOf(used))),
      ...BLOCK,
      messageDelta(messageUsage(used)),
      MESSAGE_STOP,
    ],
    'at the end in two events': used => [
      messageStart(messageUsage(startOf(used))),
      ...BLOCK,
      { type: 'message_delta', delta: {}, usage: { output_tokens: 1 } },
      messageDelta(messageUsage(used)),
      MESSAGE_STOP,
    ],
  },
}

const modalities = (all: number, audio: number, image: number) => [
  { modality: 'TEXT', tokenCount: all - audio - image },
  ...(audio > 0 ? [{ modality: 'AUDIO', tokenCount: audio }] : []),
  ...(image > 0 ? [{ modality: 'IMAGE', tokenCount: image }] : []),
]
const geminiUsage = (used: Buckets): JsonObject => {
  const made = used.output + used.audioOutput + used.imageOutput
  return {
    promptTokenCount: promptOf(used),
    cachedContentTokenCount: used.cachedInput,
    candidatesTokenCount: made,
    thoughtsTokenCount: used.reasoning,
    totalTokenCount: promptOf(used) + made + used.reasoning,
    promptTokensDetails: modalities(promptOf(used), used.audioInput, used.imageInput),
    candidatesTokensDetails: modalities(made, used.audioOutput, used.imageOutput),
  }
}
const candidate = (text: string, finishReason?: string) => ({
  candidates: [
    { index: 0, content: { role: 'model', parts: [{ text }] }, ...(finishReason && { finishReason }) },
  ],
})

const gemini: NativeFormat = {
  // A call comes as a whole.
  callStart: [
    {
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] } },
      ],
    },
  ],
  tells: [
    ...(['input', 'cachedInput', 'audioInput', 'imageInput'] as const),
    ...(['output', 'reasoning', 'audioOutput', 'imageOutput'] as const),
  ],
  path: /enerateContent/,
  json: used => ({ ...candidate('ok', 'STOP'), usageMetadata: geminiUsage(used) }),
  streams: {
    'in the last event': used => [
      candidate('o'),
      { ...candidate('k', 'STOP'), usageMetadata: geminiUsage(used) },
    ],
    'in every event, growing': used => [
      { ...candidate('o'), usageMetadata: geminiUsage(startOf(used)) },
      { ...candidate('k', 'STOP'), usageMetadata: geminiUsage(used) },
    ],
    'in an event of its own': used => [
      candidate('o'),
      candidate('k', 'STOP'),
      { usageMetadata: geminiUsage(used) },
    ],
    'first with counts alone': ({ ...used }) => [
      { ...candidate('o'), usageMetadata: { promptTokenCount: promptOf(used) } },
      { ...candidate('k', 'STOP'), usageMetadata: geminiUsage(used) },
    ],
  },
}

export const NATIVE_FORMATS: Readonly<Record<string, NativeFormat>> = { responses, messages, gemini, chat }

/** The last figures that a client received, by their names in any format. */
export function usageIn(text: string): Readonly<Record<string, number>> {
  const figures = [...text.matchAll(/"(\w*(?:tokens|TokenCount))":(\d+)/g)]
  return Object.fromEntries(figures.map(([, name = '', figure]) => [name, Number(figure)]))
}

/** The types of channels by their names. */
export const PROVIDERS: Readonly<Record<string, number>> = {
  openai: 1,
  azure: 3,
  custom: 8,
  anthropic: 14,
  openrouter: 20,
  gemini: 24,
  moonshot: 25,
  deepseek: 43,
  xai: 48,
}

export const toStream = (events: readonly JsonObject[], hasEnd: boolean): Response =>
  new Response(
    events
      .map(
        event =>
          `${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`,
      )
      .join('') + (hasEnd ? 'data: [DONE]\n\n' : ''),
    { headers: { 'content-type': 'text/event-stream' } },
  )
