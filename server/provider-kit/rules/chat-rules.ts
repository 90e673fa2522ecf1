import { readStopSequences } from '../chat-request.ts'
import type {
  ChatBody,
  ChatChunk,
  ChatMessage,
  ChatReply,
  ChatTool,
  ToolCall,
  ToolChoice,
} from '../contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  ChatAdapter,
  OwnNames,
  StreamPiece,
  StreamReader,
  ThoughtForm,
} from '../contract/operation-adapter.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../json.ts'
import { callsWithoutResult, withAllIds, withAllResults } from './call-results.ts'
import { type NameRule, toLegalName } from './legal-names.ts'

/** What a provider's chat takes of a model beyond its format. An absent member sets no limit. */
export interface ChatRules {
  /** The names of functions. */
  readonly names?: NameRule
  readonly callIds?: NameRule
  readonly stopsMax?: number
  readonly temperatureMax?: number
  /** Fields that the model rejects, or that its format has no place for. */
  readonly rejects?: readonly string[] | ((call: RuledCall) => readonly string[])
  /** The schema of a tool as the provider takes it. The same text where it takes it as it is. */
  readonly toolSchema?: (schema: JsonObject) => JsonObject
  /** The provider knows custom tools and tool choices of the type `allowed_tools`. */
  readonly takesOpenaiTools?: true
  /** The provider knows the tool choice `validated`. */
  readonly takesValidated?: true
  /** The provider knows the role `system` only, not the newer `developer`. */
  readonly rejectsDeveloperRole?: boolean
  /** How the models demand back what they thought before their calls. */
  readonly thoughtForm?: ThoughtForm
  /** For models that reject a history whose tool calls lack the thinking before them. */
  readonly thoughtOfCalls?: ThoughtOfCalls
}

/** What rules read of a call. */
export type RuledCall = Pick<
  AdapterCall<ChatBody>,
  'body' | 'model' | 'hostedTools' | 'outputTokensMax' | 'isTranslated'
>

/** What stands for thinking that the client did not send back: fields that switch thinking off, or a text in its place. */
export interface ThoughtOfCalls {
  readonly off?: JsonObject
  readonly text?: string
}

/** The rules of all models, or of each. */
export type RulesOfModels = ChatRules | ((model: string) => ChatRules)

/**
 * An adapter whose requests keep to the rules of the model, whatever the client sent: names and ids are mapped, limits
 * lowered. Responses have the client's own names.
 */
export function withRules(adapter: ChatAdapter, rules: RulesOfModels): ChatAdapter {
  const { stream } = adapter
  const findRules = (model: string): ChatRules => (typeof rules === 'function' ? rules(model) : rules)
  return {
    ...adapter,
    request: call => adapter.request(toRuledCall(call, findRules(call.model), adapter)),
    thoughtForm: model => findRules(model).thoughtForm,
    ownNames: ({ body, model }) => findOwnNames(body, findRules(model)),
    adjustments: call => [
      ...listAdjustments(call, findRules(call.model), adapter),
      ...(!isOwnWord(call, adapter) && callsWithoutResult(withAllIds(call.body)).size > 0
        ? ['tool result: – → empty']
        : []),
    ],
    reply: (json, call) => withOwnNames(adapter.reply(json, call), call.ownNames),
    ...(stream && { stream: call => readingOwnNames(stream(call), call.ownNames) }),
  }
}

type LimitedField = 'temperature' | 'stop' | 'max_tokens' | 'max_completion_tokens'

interface LoweredField {
  readonly field: LimitedField
  readonly from: number
  readonly to: number
}

type Format = Pick<ChatAdapter, 'nativeFormat'>

/**
 * In the provider's own format, schemas, results and limits are the client's word, but for the length of the answer: agents
 * that call any model by this format do not know its ceiling.
 */
const isOwnWord = ({ isTranslated }: RuledCall, { nativeFormat }: Format): boolean =>
  nativeFormat === 'openai' && isTranslated !== true

/** The limits of the client that the rules lower. */
function lowerLimits(
  call: RuledCall,
  { stopsMax = Number.POSITIVE_INFINITY, temperatureMax = Number.POSITIVE_INFINITY }: ChatRules,
  format: Format,
): readonly LoweredField[] {
  const { body, outputTokensMax = Number.POSITIVE_INFINITY } = call
  const tokensField = body.max_completion_tokens ? 'max_completion_tokens' : 'max_tokens'
  const length: LoweredField = { field: tokensField, from: body[tokensField] ?? 0, to: outputTokensMax }
  if (isOwnWord(call, format)) return [length].filter(isAbove)
  const limits: readonly LoweredField[] = [
    length,
    { field: 'stop', from: readStopSequences(body)?.length ?? 0, to: stopsMax },
    { field: 'temperature', from: body.temperature ?? 0, to: temperatureMax },
  ]
  return limits.filter(isAbove)
}

const isAbove = ({ from, to }: LoweredField): boolean => from > to

const listRejected = (call: RuledCall, { rejects = [] }: ChatRules): readonly string[] => {
  const fields = typeof rejects === 'function' ? rejects(call) : rejects
  return fields.filter(field => field in call.body)
}

/** What the rules change of what the client asked for, in the words of receipts. Mapped names come back, so they are none. */
function listAdjustments(call: RuledCall, rules: ChatRules, format: Format): readonly string[] {
  const rejected = listRejected(call, rules)
  const { messages } = call.body
  const hasOtherRole = rules.rejectsDeveloperRole && messages.some(({ role }) => role === 'developer')
  return [
    ...lowerLimits(call, rules, format)
      .filter(({ field }) => !rejected.includes(field))
      .map(({ field, from, to }) => `${field}: ${from} → ${to}`),
    ...rejected.filter(field => (call.body[field] ?? null) !== null).map(field => `${field} → –`),
    ...(hasOtherRole ? ['developer → system'] : []),
    ...(rules.thoughtOfCalls?.off && messages.some(lacksThought) ? ['thinking → –'] : []),
  ]
}

/** What a provider with these rules would reject in a body of its own format. Undefined where it takes all. */
export function findBrokenRule(call: RuledCall, rules: ChatRules): string | undefined {
  const { body } = call
  const [change] = listAdjustments(call, rules, {})
  if (change !== undefined) return change
  if (withLegalNames(body, rules) !== body) return 'a name or an ID of a call'
  const isIllegal = ({ function: inner }: ChatTool): boolean => {
    const schema = inner?.parameters
    return isObject(schema) && JSON.stringify(rules.toolSchema?.(schema)) !== JSON.stringify(schema)
  }
  return rules.toolSchema && body.tools?.some(isIllegal) ? 'the schema of a tool' : undefined
}

function toRuledCall(
  call: AdapterCall<ChatBody>,
  rules: ChatRules,
  adapter: ChatAdapter,
): AdapterCall<ChatBody> {
  const complete = isOwnWord(call, adapter) ? call.body : withAllResults(withAllIds(call.body))
  const limited = withLimits(complete, lowerLimits(call, rules, adapter))
  const spelled = withLegalNames(withKnownTools(limited, rules), rules)
  const named = isOwnWord(call, adapter) ? spelled : withLegalSchemas(spelled, rules)
  const known = rules.rejectsDeveloperRole ? withoutDeveloperRole(named) : named
  const body = withoutFields(withThoughts(known, rules), listRejected(call, rules))
  return body === call.body ? call : { ...call, body }
}

function withLimits(body: ChatBody, lowered: readonly LoweredField[]): ChatBody {
  if (lowered.length === 0) return body
  const stops = readStopSequences(body) ?? []
  const fields = lowered.map(({ field, to }) => [field, field === 'stop' ? stops.slice(0, to) : to])
  return { ...body, ...Object.fromEntries(fields) }
}

function withKnownTools(body: ChatBody, { takesOpenaiTools, takesValidated }: ChatRules): ChatBody {
  const plain = takesOpenaiTools ? body : withTextFunctions(withAllowedTools(body))
  return plain.tool_choice === 'validated' && !takesValidated ? { ...plain, tool_choice: 'auto' } : plain
}

/** Only the allowed tools, for providers without such a choice. */
function withAllowedTools(body: ChatBody): ChatBody {
  const { type, allowed_tools } = asObject(body.tool_choice)
  if (type !== 'allowed_tools') return body
  const { mode, tools } = asObject(allowed_tools)
  const names = new Set(asArray(tools).map(asObject).flatMap(nameOf))
  const allowed = body.tools?.filter(tool => nameOf(tool).some(name => names.has(name)))
  return {
    ...body,
    ...(allowed && { tools: allowed }),
    tool_choice: mode === 'required' ? 'required' : 'auto',
  }
}

function withLegalSchemas(body: ChatBody, { toolSchema }: ChatRules): ChatBody {
  if (!toolSchema || !body.tools) return body
  const tools = body.tools.map(tool =>
    tool.function?.parameters
      ? { ...tool, function: { ...tool.function, parameters: toolSchema(tool.function.parameters) } }
      : tool,
  )
  return { ...body, tools }
}

const withoutDeveloperRole = (body: ChatBody): ChatBody => ({
  ...body,
  messages: body.messages.map(message =>
    message.role === 'developer' ? { ...message, role: 'system' } : message,
  ),
})

function withoutFields(body: ChatBody, fields: readonly string[]): ChatBody {
  if (fields.length === 0) return body
  const kept = Object.entries(body).filter(([field]) => !fields.includes(field))
  return { ...Object.fromEntries(kept), model: body.model, messages: body.messages }
}

/** Switches thinking off, or fills it in, where the client did not send back what the model demands. */
function withThoughts(body: ChatBody, { thoughtOfCalls }: ChatRules): ChatBody {
  if (!thoughtOfCalls || !body.messages.some(lacksThought)) return body
  const messages = body.messages.map(withNamedThought)
  if (!messages.some(lacksThought)) return { ...body, messages }
  const { text, off } = thoughtOfCalls
  const filled = messages.map(message =>
    lacksThought(message) && text !== undefined ? { ...message, reasoning_content: text } : message,
  )
  const { reasoning_effort, ...rest } = body
  return { ...(off ? rest : body), model: body.model, messages: filled, ...off }
}

/** Some servers call it `reasoning`, and their clients send it back by that name. */
function withNamedThought(message: ChatMessage): ChatMessage {
  const { reasoning, ...rest } = message
  const text = lacksThought(message) && asString(reasoning)
  return text ? { ...rest, role: message.role, reasoning_content: text } : message
}

const lacksThought = ({ role, tool_calls, reasoning_content }: ChatMessage): boolean =>
  role === 'assistant' && Boolean(tool_calls?.length) && !reasoning_content

/** The names and ids of a body, as the rules accept them. Returns the same body when they accept all. */
function withLegalNames(body: ChatBody, { names, callIds }: ChatRules): ChatBody {
  const isNameIllegal = names && listNames(body).some(name => toLegalName(name, names) !== name)
  const isIdIllegal = callIds && body.messages.flatMap(listIds).some(id => toLegalName(id, callIds) !== id)
  if (!isNameIllegal && !isIdIllegal) return body
  const toName: Rename = name => (names ? toLegalName(name, names) : name)
  const toId: Rename = id => (callIds ? toLegalName(id, callIds) : id)
  const { tools, tool_choice: choice } = body
  return {
    ...body,
    messages: body.messages.map(message => withLegalCalls(message, { toName, toId })),
    ...(tools && { tools: tools.map(tool => renamed(tool, toName)) }),
    ...(typeof choice === 'object' && choice && { tool_choice: renamed(choice, toName) }),
  }
}

const TEXT_PARAMETERS: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** A custom tool, which takes free text, as a function with one string. `tool` is its declaration without the type. */
export const toTextFunction = (name: string, tool: JsonObject): ChatTool => ({
  type: 'function',
  function: { name, description: describeTextTool(tool), parameters: TEXT_PARAMETERS },
})

/** A grammar cannot be enforced by other providers, so the model reads it. Chat nests it once more. */
function describeTextTool({ description, format }: JsonObject): string {
  const { grammar = format } = asObject(format)
  const { syntax, definition } = asObject(grammar)
  const text = asString(definition)
  const rule = text
    ? `The input is one string that matches this ${asString(syntax) ?? ''} grammar:\n${text}`
    : 'The input is one string.'
  return [asString(description), rule].filter(Boolean).join('\n\n')
}

/** Free text as the arguments of the function that stands for a custom tool. */
export const toTextArguments = (input: string): string => JSON.stringify({ input })

/** The free text within such arguments. Arguments of another shape are passed as they are. */
export const readTextArguments = (text: string): string => asString(asObject(parseJson(text)).input) ?? text

/** The name of a tool, choice or call of chat completions, which stands under its type. */
const nameIn = ({ function: inner, custom }: JsonObject): string | undefined =>
  asString(asObject(inner ?? custom).name)

const isCustom = ({ type, custom }: JsonObject): boolean =>
  type === 'custom' && nameIn({ custom }) !== undefined

/** The names of the custom tools of a chat request. */
export const listCustomNames = ({ tools }: JsonObject): readonly string[] =>
  asArray(tools)
    .map(asObject)
    .filter(isCustom)
    .map(tool => nameIn(tool) ?? '')

/** The body with functions in place of custom tools, in calls of its history too. The same body where it has none. */
export function withTextFunctions(body: ChatBody): ChatBody {
  const { tools, messages, tool_choice: choice } = body
  const hasCalls = messages.some(({ tool_calls }) => tool_calls?.some(call => isCustom(asObject(call))))
  if (!hasCalls && !tools?.some(isCustom)) return body
  return {
    ...body,
    ...(tools && { tools: tools.map(toFunctionTool) }),
    ...(typeof choice === 'object' && choice && { tool_choice: toFunctionChoice(choice) }),
    messages: messages.map(message =>
      message.tool_calls ? { ...message, tool_calls: message.tool_calls.map(toFunctionCall) } : message,
    ),
  }
}

const toFunctionTool = (tool: ChatTool): ChatTool =>
  isCustom(tool) ? toTextFunction(nameIn(tool) ?? '', asObject(tool.custom)) : tool

const toFunctionChoice = (choice: Exclude<ToolChoice, string>): ToolChoice =>
  isCustom(choice) ? { type: 'function', function: { name: nameIn(choice) ?? '' } } : choice

function toFunctionCall(call: ToolCall): ToolCall {
  const json = asObject(call)
  if (!isCustom(json)) return call
  const input = asString(asObject(json.custom).input) ?? ''
  return {
    id: call.id,
    type: 'function',
    function: { name: nameIn(json) ?? '', arguments: toTextArguments(input) },
  }
}

type Rename = (name: string) => string

function withLegalCalls(
  message: ChatMessage,
  { toName, toId }: { readonly toName: Rename; readonly toId: Rename },
): ChatMessage {
  const { tool_calls: calls, tool_call_id: id, name } = message
  if (!calls?.length && !id) return message
  return {
    ...message,
    ...(calls && { tool_calls: calls.map(call => ({ ...renamed(call, toName), id: toId(call.id) })) }),
    ...(id && { tool_call_id: toId(id), ...(name && { name: toName(name) }) }),
  }
}

/** A tool, choice or call of the type `function`. Free-form tools of OpenAI have another type, and stay. */
function renamed<Named extends { readonly function?: unknown }>(named: Named, rename: Rename): Named {
  const { function: inner } = named
  const name = asString(asObject(inner).name)
  return name === undefined ? named : { ...named, function: { ...asObject(inner), name: rename(name) } }
}

const nameOf = (named: JsonObject): readonly string[] => {
  const name = nameIn(named)
  return name === undefined ? [] : [name]
}

/** Of any body: those of text completions and of other formats have no functions here. */
const listNames = ({ tools, messages }: JsonObject): readonly string[] =>
  [tools, ...asArray(messages).map(message => asObject(message).tool_calls)]
    .flatMap(asArray)
    .map(asObject)
    .flatMap(nameOf)

const listIds = ({ tool_calls, tool_call_id: id }: ChatMessage): readonly string[] => [
  ...(tool_calls ?? []).map(call => call.id),
  ...(id ? [id] : []),
]

/**
 * The client's names by the legal ones that replace them, and those of custom tools by themselves where functions replace
 * those. Undefined when the provider accepts them all.
 */
function findOwnNames(body: JsonObject, { names, takesOpenaiTools }: ChatRules): OwnNames | undefined {
  const custom = new Set(takesOpenaiTools ? [] : listCustomNames(body))
  if (!names && custom.size === 0) return undefined
  const own = listNames(body)
    .map(name => [names ? toLegalName(name, names) : name, name] as const)
    .filter(([legal, name]) => legal !== name || custom.has(name))
  return own.length > 0 ? new Map(own) : undefined
}

function withOwnNames(result: AdapterResult<ChatReply>, own: OwnNames | undefined): AdapterResult<ChatReply> {
  if (!own || result.kind === 'failure') return result
  const rename: Rename = name => own.get(name) ?? name
  const choices = result.reply.choices.map(choice => ({
    ...choice,
    ...(choice.toolCalls && { toolCalls: choice.toolCalls.map(call => renamed(call, rename)) }),
  }))
  return { ...result, reply: { ...result.reply, choices } }
}

function readingOwnNames(
  reader: StreamReader<ChatChunk>,
  own: OwnNames | undefined,
): StreamReader<ChatChunk> {
  if (!own) return reader
  const toOwn = (piece: StreamPiece<ChatChunk>): StreamPiece<ChatChunk> =>
    piece.type === 'tool-call-start' ? { ...piece, name: own.get(piece.name) ?? piece.name } : piece
  return {
    read: event => reader.read(event).map(toOwn),
    end() {
      const ended = reader.end()
      return { ...ended, chunks: ended.chunks.map(toOwn) }
    },
  }
}
