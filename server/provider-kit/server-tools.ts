import { findUnknownField, withoutUnknownFields } from './body-fields.ts'
import {
  CLIENT_FIELD,
  CLIENT_TYPE,
  DEFINITION_FIELD,
  ITEM_FIELDS,
  isBuiltIn,
  isClientTool,
  isLocal,
  isOff,
  itemsOf,
  listTools,
  NO_ENTRY,
  readToolLists,
  readType,
  SERVER_FIELD,
  TOOL_LIST,
  toDefinitionTools,
  toolsOfBlock,
  toolsOfItem,
  toServerField,
  toServerTools,
  toTool,
} from './body-terms.ts'
import { asArray, asObject, asString, FormFile, isObject, type JsonObject, parseJson } from './json.ts'

/** A list of tools under a name of its own, or in the letters of a server that ignores case. */
const OTHER_TOOLS = /^(?!(max|parallel)_)\w*tools$/i

/** Only narrow a search, or end one. */
const SEARCH_FILTER = /^(disable|no)_|^search_\w*_filter$|^search_mode$|^tool_search/i

/** Objects that name nothing a provider runs. The fields of any other one count as the body's own, as SDKs merge them. */
const PLAIN_FIELD =
  /^(messages|input|contents?|tools|system\w*|instructions|\w*metadata|\w*schema|functions?|\w*format|text|\w*choice|prompt|document\w*|audio\w*|context_management|reasoning|thinking\w*|prediction|logit_bias|user_?location|\w*_filter)$/i

const bringsTools = (item: unknown): item is JsonObject => isObject(item) && item.tools !== undefined

const runsAtProvider = (block: unknown): boolean =>
  toolsOfBlock(block).some(tool => toServerTools(tool).length > 0)

/**
 * The name of a tool that the body might make a provider run. Whatever is not surely executed by the client counts: hosted
 * tools at any place, fields that name one, stored prompts, which bring their own tools, and fields that nobody documents.
 */
export const findServerTool = (body: JsonObject): string | undefined =>
  findKnown(body) ??
  findHidden(body) ??
  Object.keys(body).find(field => namesTool(field, body)) ??
  findUnknownField(body, isOn)

const isOn = (value: unknown, field: string): boolean => !isOff(value) && !SEARCH_FILTER.test(field)

/** A choice, a list of what a response may hold, or metadata that names a tool of the provider. */
function namesTool(field: string, body: JsonObject): boolean {
  const value = body[field]
  if (CHOICE_FIELD.test(field)) return choosesServerTool(value, body)
  if (METADATA_FIELD.test(field)) return holdsTool(value)
  return /modalities$|^(options|include|citations)$/i.test(field) && asArray(value).some(isHostedName)
}

const METADATA_FIELD = /^\w*metadata$/i
const CHOICE_FIELD = /^(tool_?choice|function_?call)$/i
const MODE = /^(auto|none|required|any|validated|function|custom|tool|allowed_tools|shell)$/i
const CHOICE_PART =
  /^(type|mode|name|function|custom|tool|tools|allowed_tools|auto|any|disable_parallel_tool_use)$/i

const isHostedName = (value: unknown): boolean =>
  typeof value === 'string' && (HOSTED_TYPE.test(value.trim()) || value.startsWith('$'))

/** A function of the client may have the name of a provider's tool. */
function choosesServerTool(choice: unknown, { tools, functions }: JsonObject): boolean {
  const declared = JSON.stringify([tools, functions])
  const isDeclared = (name: unknown): boolean => declared.includes(`"name":${JSON.stringify(name)}`)
  if (typeof choice === 'string')
    return !MODE.test(choice) && !CLIENT_TYPE.test(choice) && !isDeclared(choice)
  const { type, allowed_tools, ...rest } = asObject(choice)
  if (typeof type === 'string' && !MODE.test(type) && !CLIENT_TYPE.test(type)) return true
  const chosen = [rest, rest.function, rest.custom, rest.tool].map(part => asObject(part).name)
  return (
    Object.keys(rest).some(part => !CHOICE_PART.test(part)) ||
    chosen.some(name => isHostedName(name) && !isDeclared(name)) ||
    [rest.tools, asObject(allowed_tools).tools].some(
      list => listTools(list).flatMap(toServerTools).length > 0,
    )
  )
}

/** Far above the texts that metadata may hold: beyond it, nobody looks for the levels of JSON. */
const JSON_TEXT_MAX = 4_096

/** Some servers read options in metadata, of which a text may be JSON. */
function holdsTool(value: unknown, name = ''): boolean {
  if (typeof value === 'string') {
    if (!/^\s*[[{]/.test(value)) return isHostedName(value)
    return value.length > JSON_TEXT_MAX || holdsTool(parseJson(value), name)
  }
  if (Array.isArray(value)) return value.some(entry => holdsTool(entry, name))
  if (!isObject(value)) return HOSTED_TYPE.test(name) && value === true
  const isTool = TOOL_LIST.test(name) && toServerTools(value).length > 0
  return isTool || Object.entries(value).some(([field, part]) => holdsTool(part, field))
}

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
  typeof value === 'object' && value !== null && !(value instanceof FormFile) && !PLAIN_FIELD.test(field)

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
const AGENT_FIELD = /^(workflow|agent|assistant|bot)$/i

const isStoredPrompt = (field: string, value: unknown): boolean =>
  (/^prompt$/i.test(field) && (objectsIn(value).length > 0 || STORED_PROMPT.test(asString(value) ?? ''))) ||
  (/^instructions$/i.test(field) &&
    objectsIn(value).some(({ id }) => STORED_PROMPT.test(asString(id) ?? ''))) ||
  (AGENT_FIELD.test(field) &&
    (typeof value === 'string' || objectsIn(value).some(({ id }) => id !== undefined)))

/** Whether the body's own text lies at the provider, so that nothing of it is left without that. */
export const hasStoredPrompt = (body: JsonObject): boolean =>
  [body, ...partsOf(body)].some(part =>
    Object.entries(part).some(([field, value]) => isStoredPrompt(field, value)),
  )

/** The body without the tools of the provider. A choice among tools means nothing where none is left. */
export function withoutServerTools(body: JsonObject): JsonObject {
  const known = Object.entries(withoutUnknownFields(body, isOn))
  const kept = known.flatMap(([field, value]) => {
    if (!namesTool(field, body)) return [[field, value] as const]
    return METADATA_FIELD.test(field) && isObject(value) ? [[field, withoutNamedTools(value)] as const] : []
  })
  return withoutListedTools(Object.fromEntries(kept))
}

const withoutNamedTools = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([field, value]) => !holdsTool(value, field)))

function withoutListedTools({ tools, ...body }: JsonObject): JsonObject {
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
  Array.isArray(value) ? value.map(withoutToolsIn) : isObject(value) ? withoutListedTools(value) : value

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
