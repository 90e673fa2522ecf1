import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from '#server/provider-kit/json.ts'

interface ClientToolCall {
  readonly name: string
  readonly arguments: unknown
}

/** A response as the official clients of a dialect understand it. Finish reasons have OpenAI's names. */
export interface ClientResult {
  readonly toolCalls: readonly ClientToolCall[]
  readonly finish: string
  readonly usage: ClientUsage | undefined
}

interface ClientUsage {
  readonly prompt: number
  readonly completion: number
  readonly cached: number
}

type ReadResult = (events: readonly unknown[]) => ClientResult

/** The events of a stream, or the only event of a complete response. */
const toEvents = (response: string, isStream: boolean): readonly unknown[] =>
  isStream
    ? response
        .split('\n')
        .filter(line => line.startsWith('data:') && !line.endsWith('[DONE]'))
        .map(line => parseJson(line.slice('data:'.length)))
    : [parseJson(response)]

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
const toArguments = (text: string): unknown => parseJson(text) ?? `not JSON: ${text}`
const lastObject = (values: readonly unknown[]) => values.filter(isObject).at(-1)

function readOpenai(events: readonly unknown[]): ClientResult {
  const calls = new Map<unknown, { name: string; text: string }>()
  let finish = ''
  for (const event of events) {
    const choice = asObject(asArray(asObject(event).choices)[0])
    finish = asString(choice.finish_reason) ?? finish
    for (const [position, json] of asArray(asObject(choice.delta ?? choice.message).tool_calls).entries()) {
      const { index = position, function: called } = asObject(json)
      const call = calls.get(index) ?? { name: '', text: '' }
      call.name += asString(asObject(called).name) ?? ''
      call.text += asString(asObject(called).arguments) ?? ''
      calls.set(index, call)
    }
  }
  const usage = lastObject(events.map(event => asObject(event).usage))
  return {
    toolCalls: [...calls.values()].map(({ name, text }) => ({ name, arguments: toArguments(text) })),
    finish,
    usage: usage && {
      prompt: count(usage.prompt_tokens),
      completion: count(usage.completion_tokens),
      cached: count(asObject(usage.prompt_tokens_details).cached_tokens),
    },
  }
}

const ANTHROPIC_FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** The blocks of a complete message, or the block that a stream starts. */
const toolUseBlocks = (event: JsonObject): readonly JsonObject[] =>
  [...asArray(event.content), event.content_block].map(asObject).filter(({ type }) => type === 'tool_use')

function readAnthropic(events: readonly unknown[]): ClientResult {
  const calls: { name: string; text: string }[] = []
  let finish = ''
  let usage: JsonObject = {}
  for (const event of events.map(asObject)) {
    const delta = asObject(event.delta)
    usage = { ...usage, ...asObject(asObject(event.message).usage), ...asObject(event.usage) }
    finish = asString(event.stop_reason) ?? asString(delta.stop_reason) ?? finish
    for (const { name, input } of toolUseBlocks(event))
      calls.push({ name: asString(name) ?? '', text: event.content_block ? '' : JSON.stringify(input) })
    const last = calls.at(-1)
    if (last) last.text += asString(delta.partial_json) ?? ''
  }
  const cached = count(usage.cache_read_input_tokens)
  return {
    toolCalls: calls.map(({ name, text }) => ({ name, arguments: toArguments(text || '{}') })),
    finish: ANTHROPIC_FINISH[finish] ?? finish,
    usage: {
      prompt: count(usage.input_tokens) + cached + count(usage.cache_creation_input_tokens),
      completion: count(usage.output_tokens),
      cached,
    },
  }
}

const GEMINI_FINISH: Readonly<Record<string, string>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
}

function readGemini(events: readonly unknown[]): ClientResult {
  const candidates = events.map(event => asObject(asArray(asObject(event).candidates)[0]))
  const toolCalls = candidates
    .flatMap(({ content }) => asArray(asObject(content).parts))
    .map(part => asObject(part).functionCall)
    .filter(isObject)
    .map(({ name, args }) => ({ name: asString(name) ?? '', arguments: args ?? {} }))
  const finish = candidates.map(({ finishReason }) => asString(finishReason)).findLast(Boolean) ?? ''
  const usage = lastObject(events.map(event => asObject(event).usageMetadata))
  return {
    toolCalls,
    finish: toolCalls.length > 0 && finish === 'STOP' ? 'tool_calls' : (GEMINI_FINISH[finish] ?? finish),
    usage: usage && {
      prompt: count(usage.promptTokenCount),
      completion: count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
      cached: count(usage.cachedContentTokenCount),
    },
  }
}

const INCOMPLETE_FINISH: Readonly<Record<string, string>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
}

function readResponses(events: readonly unknown[]): ClientResult {
  const response = lastObject(
    events.map(event => (asObject(event).object === 'response' ? event : asObject(event).response)),
  )
  const toolCalls = asArray(response?.output)
    .map(asObject)
    .filter(({ type }) => type === 'function_call')
    .map(({ name, arguments: text }) => ({
      name: asString(name) ?? '',
      arguments: toArguments(asString(text) ?? ''),
    }))
  const incomplete = asString(asObject(response?.incomplete_details).reason)
  const complete = toolCalls.length > 0 ? 'tool_calls' : 'stop'
  const usage = asObject(response?.usage)
  return {
    toolCalls,
    finish: incomplete ? (INCOMPLETE_FINISH[incomplete] ?? incomplete) : complete,
    usage: {
      prompt: count(usage.input_tokens),
      completion: count(usage.output_tokens),
      cached: count(asObject(usage.input_tokens_details).cached_tokens),
    },
  }
}

const INTERACTION_FINISH: Readonly<Record<string, string>> = {
  completed: 'stop',
  requires_action: 'tool_calls',
  incomplete: 'length',
}

/** The events of a stream start and continue the steps that a complete interaction lists. */
function readInteraction(events: readonly unknown[]): ClientResult {
  const calls = new Map<unknown, { name: string; text: string }>()
  for (const { index, step, delta } of events.map(asObject)) {
    const started = asObject(step)
    const text = asString(asObject(delta).arguments)
    if (started.type === 'function_call') calls.set(index, { name: asString(started.name) ?? '', text: '' })
    else if (text !== undefined) {
      const call = calls.get(index)
      if (call) call.text += text
    }
  }
  const interaction = lastObject(events.map(event => asObject(event).interaction ?? event))
  const listed = asArray(interaction?.steps)
    .map(asObject)
    .filter(({ type }) => type === 'function_call')
    .map(({ name, arguments: args }) => ({ name: asString(name) ?? '', arguments: args }))
  const streamed = [...calls.values()].map(({ name, text }) => ({ name, arguments: toArguments(text) }))
  const status = asString(interaction?.status) ?? ''
  const usage = asObject(interaction?.usage)
  return {
    toolCalls: streamed.length > 0 ? streamed : listed,
    finish: INTERACTION_FINISH[status] ?? status,
    usage: {
      prompt: count(usage.total_input_tokens),
      completion: count(usage.total_output_tokens) + count(usage.total_thought_tokens),
      cached: count(usage.total_cached_tokens),
    },
  }
}

const COHERE_FINISH: Readonly<Record<string, string>> = {
  COMPLETE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR: 'content_filter',
}

/** The calls of a complete response, or the one that an event starts or continues, which is no list. */
function readCohereCalls(messages: readonly unknown[]): { name: string; text: string }[] {
  const calls: { name: string; text: string }[] = []
  const pieces = messages.flatMap(message => [asObject(message).tool_calls].flat().filter(isObject))
  for (const { name, arguments: text = '' } of pieces.map(call => asObject(call.function))) {
    if (name !== undefined) calls.push({ name: asString(name) ?? '', text: '' })
    const last = calls.at(-1)
    if (last) last.text += text
  }
  return calls
}

/** Events have the members of complete responses in `delta`. */
function readCohere(events: readonly unknown[]): ClientResult {
  const parts = events.map(asObject).map(event => asObject(event.delta ?? event))
  const finish = parts.map(({ finish_reason }) => asString(finish_reason)).findLast(Boolean) ?? ''
  const usage = lastObject(parts.map(part => part.usage))
  const tokens = asObject(usage?.tokens)
  return {
    toolCalls: readCohereCalls(parts.map(({ message }) => message)).map(({ name, text }) => ({
      name,
      arguments: toArguments(text || '{}'),
    })),
    finish: COHERE_FINISH[finish] ?? finish,
    usage: usage && {
      prompt: count(tokens.input_tokens),
      completion: count(tokens.output_tokens),
      cached: count(usage.cached_tokens),
    },
  }
}

const READERS: Readonly<Record<string, ReadResult>> = {
  openai: readOpenai,
  anthropic: readAnthropic,
  gemini: readGemini,
  responses: readResponses,
  cohere: readCohere,
  interactions: readInteraction,
}

/** What a client of this dialect makes of a response. */
export const readResult = (dialect: string, response: string, isStream: boolean): ClientResult | undefined =>
  READERS[dialect]?.(toEvents(response, isStream))
