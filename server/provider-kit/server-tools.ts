import { asArray, asObject, asString, isObject, type JsonObject } from './json.ts'

/** A tool that the provider runs itself and charges for, as one request asks for it. */
export interface ServerTool {
  /** The name under which price lists and usage have it. */
  readonly name: string
  /** The entry of `tools`, or the field of the body. */
  readonly entry: JsonObject
}

/** Types of tools that only the client can run, or that only describe others. Any other tool is the provider's. */
const CLIENT_TYPE =
  /^(function|custom|tool_search(_tool_\w+)?|local_shell|apply_patch|computer|computer_use(_preview\w*)?|(computer|bash|text_editor|memory)_\d{8})$/
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(web_search|\$web_search|x_search|google_?search|live_search)/i, 'web_search'],
  [/^(web_fetch|url_?context)/i, 'web_fetch'],
  [/^code_?(interpreter|execution)/i, 'code_interpreter'],
  [/^(file_?search|retrieval|collections_search)/i, 'file_search'],
  [/^google_?maps/i, 'maps'],
]
const NAME_CHARS_MAX = 64
/** An entry of `tools` that is no object. */
const NO_ENTRY = {}

/** Gemini names its tools by the field of the entry. */
const CLIENT_FIELD = /^(function_?declarations|computer_?use|tool_?spec)$/i
/** Objects that describe a tool of the client. */
const DEFINITION_FIELD = /^(function|custom|tool_?spec|function_?declarations)$/i
/** Fields of an entry, or of a body, that name a tool of some provider, under whatever type they stand. */
const SERVER_FIELD =
  /search|plugin|connector|retriev|mcp|skill|crawl|brows(e|ing)|internet|grounding|fetch|enhancement|multimedia|knowledge|data_?sources|server_?url|tool_?resources|url_?context|maps|code_?(interpreter|execution)|^(container|preset|online|rag|web(_?access)?|(prompt|assistant|agent|workflow|bot)_?id)$/i
/** A list of tools under a name of its own, or in the letters of a server that ignores case. */
const OTHER_TOOLS = /^(?!(max|parallel)_)\w*tools$/i
/** Only narrow a search, or end one. */
const SEARCH_FILTER = /^(disable|no)_|^search_\w*_filter$|^search_mode$|^tool_search/i

/** Fields that make a provider search: of OpenAI and Perplexity, xAI, Alibaba, OpenRouter, and Baidu. */
export const SEARCH_FIELDS = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'web_search',
] as const

/** Objects that name nothing a provider runs. The fields of any other one count as the body's own, as SDKs merge them. */
const PLAIN_FIELD =
  /^(messages|input|contents?|tools|system\w*|instructions|\w*metadata|\w*schema|functions?|\w*format|text|\w*choice|prompt|document\w*|audio\w*|context_management|reasoning|thinking\w*|prediction|logit_bias|user_?location|\w*_filter)$/i
/** Lists of a body's items, of which some bring tools along. */
const ITEM_FIELDS: readonly string[] = ['input', 'messages', 'contents']

/** The tools of the provider that a body in any dialect asks for, and that have a price. */
export function readServerTools(body: JsonObject): readonly ServerTool[] {
  const listed = readToolLists(body)
  return [...listed, ...SEARCH_FIELDS.flatMap(field => readSearchField(body, field))]
}

function readToolLists(body: JsonObject): readonly ServerTool[] {
  const own = body.tools === undefined ? [] : listTools(body.tools).flatMap(toServerTools)
  const old = asArray(body.functions).flatMap(toDefinitionTools)
  return [...own, ...old, ...broughtTools(body).flatMap(toServerTools)]
}

/** The tools that the items of a body bring along. */
export const broughtTools = (body: JsonObject): readonly unknown[] =>
  ITEM_FIELDS.flatMap(field => itemsOf(body[field]).flatMap(toolsOfItem))

/** Lenient servers also take one item without a list, or a list within the list. */
const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value.some(Array.isArray)
      ? value.flatMap(item => (Array.isArray(item) ? itemsOf(item) : [item]))
      : value
    : isObject(value)
      ? [value]
      : []

/** Kimi's tools have such names. */
const isBuiltIn = (tool: unknown): boolean => asString(asObject(tool).name)?.startsWith('$') ?? false

const bringsTools = (item: unknown): item is JsonObject => isObject(item) && item.tools !== undefined

/** The tools that an item of a body brings along: its own, and those that blocks of its content add. */
function toolsOfItem(item: unknown): readonly unknown[] {
  if (!isObject(item)) return []
  const added = itemsOf(item.content).flatMap(toolsOfBlock)
  return item.tools === undefined ? added : [...listTools(item.tools), ...added]
}

/** Of Claude's blocks that add a tool in mid-conversation, and of compactions that repeat them. */
function toolsOfBlock(block: unknown): readonly unknown[] {
  if (!isObject(block)) return []
  const { definition } = asObject(block.tool)
  const own =
    definition ?? (block.tools === undefined ? undefined : { type: 'namespace', tools: block.tools })
  const repeated = block.tool_changes === undefined ? [] : asArray(block.tool_changes).flatMap(toolsOfBlock)
  return own === undefined ? repeated : [own, ...repeated]
}

const runsAtProvider = (block: unknown): boolean =>
  toolsOfBlock(block).some(tool => toServerTools(tool).length > 0)

const TOOL_LIST = /^(tools|functions)$/i

/** Lenient servers also take one tool without a list. */
const listTools = (tools: unknown): readonly unknown[] =>
  Array.isArray(tools) ? tools : isOff(tools) ? [] : [tools]

function toServerTools(value: unknown): readonly ServerTool[] {
  if (!isObject(value)) return isOff(value) ? [] : [toTool(asString(value) ?? typeof value, NO_ENTRY)]
  const type = readType(value)
  if (type === 'builtin_function') return [toTool(asString(asObject(value.function).name) ?? type, value)]
  if (type === 'namespace' || isClientTool(type, value)) return toHeldTools(value)
  return type === undefined ? toFieldTools(value) : [toTool(type, value)]
}

/** Of an entry without a type: its fields are its tools. */
function toFieldTools(value: JsonObject): readonly ServerTool[] {
  const named = asString(value.name)
  const fields = Object.entries(value).filter(isServerField)
  const held = Object.entries(value).filter(([field]) => CLIENT_FIELD.test(field))
  if (fields.length === 0 && held.length > 0) return toHeldTools(Object.fromEntries(held))
  if (fields.length === 0) return named === undefined ? [] : [toTool(named, value)]
  return fields.map(([field, option]) => toTool(field, asObject(option)))
}

/** What a tool of the client holds besides: fields, definitions and lists of other tools. */
function toHeldTools(tool: JsonObject): readonly ServerTool[] {
  const { namespace: _, ...fields } = tool
  return Object.entries(fields).flatMap(([field, value]) => {
    if (TOOL_LIST.test(field)) return listTools(value).flatMap(toServerTools)
    return DEFINITION_FIELD.test(field)
      ? itemsOf(value).flatMap(toDefinitionTools)
      : toServerField([field, value])
  })
}

/** A definition of a function has no type, or that of a tool of the client. */
function toDefinitionTools(value: unknown): readonly ServerTool[] {
  const definition = asObject(value)
  const type = readType(definition)
  if (isBuiltIn(definition)) return [toTool(asString(definition.name) ?? '', definition)]
  return type === undefined || CLIENT_TYPE.test(type)
    ? Object.entries(definition).flatMap(toServerField)
    : [toTool(type, definition)]
}

/** A type that is no text is a type all the same. */
const readType = ({ type }: JsonObject): string | undefined =>
  isOff(type) ? undefined : (asString(type) ?? typeof type)

function isClientTool(type: string | undefined, tool: JsonObject): boolean {
  if (type === 'shell') return isLocal(tool.environment)
  if (isBuiltIn(tool.function) || isBuiltIn(tool)) return false
  if (type !== undefined) return CLIENT_TYPE.test(type)
  return typeof tool.name === 'string' && (isObject(tool.input_schema) || isObject(tool.parameters))
}

/** Without an environment, the client executes the commands of a shell. */
const isLocal = (environment: unknown): boolean =>
  isOff(environment) ||
  (asObject(environment).type === 'local' && asArray(asObject(environment).skills).every(isFolder))

/** A skill of the client is a folder; any other is kept by the provider. */
const isFolder = (skill: unknown): boolean => typeof asObject(skill).path === 'string'

const toServerField = ([field, value]: readonly [string, unknown]): readonly ServerTool[] =>
  SERVER_FIELD.test(field) && !isOff(value) ? [toTool(field, asObject(value))] : []

/** In an entry without a type, every field that does not describe a client's tool is a tool of the provider. */
const isServerField = ([field, value]: readonly [string, unknown]): boolean =>
  !CLIENT_FIELD.test(field) && !DESCRIPTION_FIELDS.has(field) && Boolean(value)

const DESCRIPTION_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description'])

/** How clients switch something off. An empty object switches it on. */
const isOff = (value: unknown): boolean =>
  !value ||
  (isObject(value) && (value.mode === 'off' || value.enable === false || value.enabled === false)) ||
  (Array.isArray(value) && value.length === 0)

const toTool = (type: string, entry: JsonObject): ServerTool => ({
  name: NAMES.find(([pattern]) => pattern.test(type))?.[1] ?? type.slice(0, NAME_CHARS_MAX),
  entry,
})

function readSearchField(body: JsonObject, field: (typeof SEARCH_FIELDS)[number]): readonly ServerTool[] {
  const value = body[field]
  if (isOff(value)) return []
  const isPlugin = field === 'plugins' && !asArray(value).some(plugin => asObject(plugin).id === 'web')
  return isPlugin ? [] : [{ name: 'web_search', entry: asObject(value) }]
}

/**
 * The name of a tool that the body might make a provider run. Whatever is not surely executed by the client counts: hosted
 * tools at any place, fields that name one, stored prompts, which bring their own tools.
 */
export const findServerTool = (body: JsonObject): string | undefined => findKnown(body) ?? findHidden(body)

/** At the places that providers document. */
function findKnown(body: JsonObject): string | undefined {
  const [listed] = readToolLists(body)
  if (listed) return listed.name
  const field = Object.keys(body).find(name => isToolField(name, body[name]))
  if (field !== undefined) return toTool(field, NO_ENTRY).name
  return firstOf(partsOf(body), findKnown)
}

/** A list of tools, or one tool, under a name that a lenient server reads as such. */
const TOOLS_NAME = /^\s*tools?(_?(sets?|lists?))?\s*$/i
/** What clients, models and functions say, and schemas. A choice only names a tool. */
const OPAQUE_FIELD =
  /^(arguments|args|parameters|properties|\$defs|\w*schema|\w*metadata|\w*choice|json|response|logit_bias)$/i
/** Types of tools that providers run, wherever they stand. Items of a conversation have others. */
const HOSTED_TYPE =
  /^(\w+:)?((web|file|x|google|live)_?search|(web_?fetch|url_?context|code_?(interpreter|execution)|image_generation|mcp(_toolset)?|retrieval)(_preview)?)(_[\d_]+)?$/i

/** The name of a tool of the provider at a place where none belongs, of any depth. */
function findHidden(value: unknown, name = ''): string | undefined {
  if (Array.isArray(value)) return firstOf(value, entry => findHidden(entry, name))
  if (!isObject(value)) return undefined
  const type = asString(value.type) ?? ''
  if (HOSTED_TYPE.test(type) || (DEFINITION_FIELD.test(name) && isBuiltIn(value)))
    return toTool(type, value).name
  if (type !== '' && objectsIn(value.environment).length > 0 && !isLocal(value.environment)) return type
  return firstOf(Object.entries(value), ([field, part]) => {
    if (OPAQUE_FIELD.test(field) || (field === 'input' && type.endsWith('tool_use'))) return undefined
    const [tool] = TOOLS_NAME.test(field) ? listTools(part).flatMap(toServerTools) : []
    return tool?.name ?? findHidden(part, field)
  })
}

function firstOf<Entry>(entries: readonly Entry[], find: (entry: Entry) => string | undefined) {
  for (const entry of entries) {
    const found = find(entry)
    if (found !== undefined) return found
  }
  return undefined
}

/** Agents that the provider runs for a request, each with tools of its own. */
const AGENTS_FIELD = /^(sub_?)?agents$/i

const isNested = (field: string, value: unknown): value is object =>
  typeof value === 'object' && value !== null && !PLAIN_FIELD.test(field)

/** The parts of a body whose tools are the body's own. */
const partsOf = (body: JsonObject): readonly JsonObject[] =>
  Object.entries(body).flatMap(([field, value]) => {
    if (!isNested(field, value)) return []
    return AGENTS_FIELD.test(field) && isObject(value)
      ? Object.values(value).flatMap(objectsIn)
      : objectsIn(value)
  })

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.flatMap(objectsIn) : isObject(value) ? [value] : []

const isToolField = (field: string, value: unknown): boolean =>
  ((SERVER_FIELD.test(field) || (field !== 'tools' && OTHER_TOOLS.test(field))) &&
    !SEARCH_FILTER.test(field) &&
    !isOff(value) &&
    !isPlaces(field, value)) ||
  isOnline(field, value) ||
  isStoredPrompt(field, value)

/** Gemini's retrieval of places only says where the user is. */
const isPlaces = (field: string, value: unknown): boolean =>
  /^retrieval_?config$/i.test(field) &&
  Object.keys(asObject(value)).every(name => /^(lat_?lng|language_?code)$/i.test(name))

/** OpenRouter's models search under such names. What the body's own `model` may be is the list of models. */
const isOnline = (field: string, value: unknown): boolean =>
  /models|fallback/i.test(field) && /:online"/i.test(JSON.stringify(value) ?? '')

const STORED_PROMPT = /^pmpt_\w+$/

const isStoredPrompt = (field: string, value: unknown): boolean =>
  (/^prompt$/i.test(field) && (objectsIn(value).length > 0 || STORED_PROMPT.test(asString(value) ?? ''))) ||
  (/^(workflow|agent|assistant|bot)$/i.test(field) && objectsIn(value).some(({ id }) => id !== undefined))

/** Whether the body's own text lies at the provider, so that nothing of it is left without that. */
export const hasStoredPrompt = (body: JsonObject): boolean =>
  [body, ...partsOf(body)].some(part =>
    Object.entries(part).some(([field, value]) => isStoredPrompt(field, value)),
  )

/** The body without the tools of the provider. A choice among tools means nothing where none is left. */
export function withoutServerTools({ tools, ...body }: JsonObject): JsonObject {
  const kept = Object.entries(withoutOldTools(body)).filter(([field, value]) => !isToolField(field, value))
  const rest: JsonObject = Object.fromEntries(
    kept.map(([field, value]) => [field, withoutNested(field, value)]),
  )
  if (tools === undefined) return rest
  const clientTools = listTools(tools).flatMap(toClientTools)
  if (clientTools.length > 0) return { ...rest, tools: clientTools }
  const { tool_choice: _, parallel_tool_calls: __, toolConfig: ___, tool_config: ____, ...others } = rest
  return others
}

const withoutOldTools = ({ functions, ...body }: JsonObject): JsonObject =>
  functions === undefined
    ? body
    : { ...body, functions: asArray(functions).filter(one => toDefinitionTools(one).length === 0) }

function withoutNested(field: string, value: unknown): unknown {
  if (isNested(field, value)) {
    const isNamed = AGENTS_FIELD.test(field) && isObject(value)
    return isNamed ? mapObject(value, withoutToolsIn) : withoutToolsIn(value)
  }
  if (!ITEM_FIELDS.includes(field)) return value
  const items = itemsOf(value)
  if (!items.some(item => bringsTools(item) || toolsOfItem(item).length > 0)) return value
  return items.flatMap(item => (bringsTools(item) ? withClientTools(item) : [item]).flatMap(withClientBlocks))
}

const withoutToolsIn = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(withoutToolsIn) : isObject(value) ? withoutServerTools(value) : value

const mapObject = (object: JsonObject, change: (value: unknown) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))

/** An item whose blocks only added tools means nothing without them. */
function withClientBlocks(item: unknown): readonly unknown[] {
  if (!isObject(item)) return [item]
  const blocks = itemsOf(item.content)
  if (!blocks.some(runsAtProvider)) return [item]
  const content = blocks.flatMap(withClientBlock)
  return content.length === 0 ? [] : [{ ...item, content }]
}

function withClientBlock(block: unknown): readonly unknown[] {
  const { tool, tools, tool_changes } = asObject(block)
  if (runsAtProvider({ tool, tools })) return []
  return tool_changes === undefined
    ? [block]
    : [{ ...asObject(block), tool_changes: asArray(tool_changes).filter(one => !runsAtProvider(one)) }]
}

/** An item that only brings tools means nothing without them. */
function withClientTools(item: JsonObject): readonly JsonObject[] {
  const tools = listTools(item.tools).flatMap(toClientTools)
  return tools.length === 0 && item.type === 'additional_tools' ? [] : [{ ...item, tools }]
}

/** An entry may hold tools of the client beside one of the provider. */
function toClientTools(tool: unknown): readonly unknown[] {
  if (toServerTools(tool).length === 0) return [tool]
  const entry = asObject(tool)
  if (entry.type === 'namespace' || isClientTool(readType(entry), entry)) return withClientFields(entry)
  if (entry.type !== undefined) return []
  const fields = Object.entries(entry).filter(([field]) => CLIENT_FIELD.test(field))
  return fields.length > 0 ? withClientFields(Object.fromEntries(fields)) : []
}

/** A tool whose definition makes the provider run something is left out; of any other, only what does so. */
function withClientFields(tool: JsonObject): readonly JsonObject[] {
  const isForeign = ([field, value]: readonly [string, unknown]): boolean =>
    DEFINITION_FIELD.test(field) && itemsOf(value).flatMap(toDefinitionTools).length > 0
  const fields = Object.entries(tool)
  if (fields.some(isForeign)) return []
  const kept = fields.filter(field => TOOL_LIST.test(field[0]) || toServerField(field).length === 0)
  return [
    Object.fromEntries(
      kept.map(([field, value]) => [
        field,
        TOOL_LIST.test(field) ? listTools(value).flatMap(toClientTools) : value,
      ]),
    ),
  ]
}
