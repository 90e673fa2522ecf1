import { asArray, asObject, asString, isObject, type JsonObject } from './json.ts'

/** A tool that the provider runs itself and charges for, as one request asks for it. */
export interface ServerTool {
  /** The name under which price lists and usage have it. */
  readonly name: string
  /** The entry of `tools`, or the field of the body. */
  readonly entry: JsonObject
}

/** Types of tools that only the client can run, or that only describe others. Any other tool is the provider's. */
export const CLIENT_TYPE =
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
export const NO_ENTRY = {}

/** Gemini names its tools by the field of the entry. */
export const CLIENT_FIELD = /^(function_?declarations|computer_?use|tool_?spec)$/i
/** Objects that describe a tool of the client. */
export const DEFINITION_FIELD = /^(function|custom|tool_?spec|function_?declarations)$/i
/** Fields of an entry, or of a body, that name a tool of some provider, under whatever type they stand. */
export const SERVER_FIELD =
  /search|plugin|connector|retriev|mcp|skill|crawl|brows(e|ing)|internet|grounding|fetch|enhancement|multimedia|knowledge|data_?sources|server_?url|tool_?resources|url_?context|maps|code_?(interpreter|execution)|^(container|preset|online|rag|web(_?access)?|(prompt|assistant|agent|workflow|bot)_?id)$/i

/** Fields that make a provider search: of OpenAI and Perplexity, xAI, Alibaba, OpenRouter, and Baidu. */
export const SEARCH_FIELDS = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'web_search',
] as const

/** Lists of a body's items, of which some bring tools along. */
export const ITEM_FIELDS: readonly string[] = ['input', 'messages', 'contents']

/** The tools of the provider that a body in any dialect asks for, and that have a price. */
export function readServerTools(body: JsonObject): readonly ServerTool[] {
  const listed = readToolLists(body)
  return [...listed, ...SEARCH_FIELDS.flatMap(field => readSearchField(body, field))]
}

export function readToolLists(body: JsonObject): readonly ServerTool[] {
  const own = body.tools === undefined ? [] : listTools(body.tools).flatMap(toServerTools)
  const old = asArray(body.functions).flatMap(toDefinitionTools)
  return [...own, ...old, ...broughtTools(body).flatMap(toServerTools)]
}

/** The tools that the items of a body bring along. */
export const broughtTools = (body: JsonObject): readonly unknown[] =>
  ITEM_FIELDS.flatMap(field => itemsOf(body[field]).flatMap(toolsOfItem))

/** Lenient servers also take one item without a list, or a list within the list. */
export const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value.some(Array.isArray)
      ? value.flatMap(item => (Array.isArray(item) ? itemsOf(item) : [item]))
      : value
    : isObject(value)
      ? [value]
      : []

/** Kimi's tools have such names. */
export const isBuiltIn = (tool: unknown): boolean => asString(asObject(tool).name)?.startsWith('$') ?? false

/** The tools that an item of a body brings along: its own, and those that blocks of its content add. */
export function toolsOfItem(item: unknown): readonly unknown[] {
  if (!isObject(item)) return []
  const added = itemsOf(item.content).flatMap(toolsOfBlock)
  return item.tools === undefined ? added : [...listTools(item.tools), ...added]
}

/** Of Claude's blocks that add a tool in mid-conversation, and of compactions that repeat them. */
export function toolsOfBlock(block: unknown): readonly unknown[] {
  if (!isObject(block)) return []
  const { definition } = asObject(block.tool)
  const own =
    definition ?? (block.tools === undefined ? undefined : { type: 'namespace', tools: block.tools })
  const repeated = block.tool_changes === undefined ? [] : asArray(block.tool_changes).flatMap(toolsOfBlock)
  return own === undefined ? repeated : [own, ...repeated]
}

export const TOOL_LIST = /^(tools|functions)$/i

/** Lenient servers also take one tool without a list. */
export const listTools = (tools: unknown): readonly unknown[] =>
  Array.isArray(tools) ? tools : isOff(tools) ? [] : [tools]

export function toServerTools(value: unknown): readonly ServerTool[] {
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
export function toDefinitionTools(value: unknown): readonly ServerTool[] {
  const definition = asObject(value)
  const type = readType(definition)
  if (isBuiltIn(definition)) return [toTool(asString(definition.name) ?? '', definition)]
  return type === undefined || CLIENT_TYPE.test(type)
    ? Object.entries(definition).flatMap(toServerField)
    : [toTool(type, definition)]
}

/** A type that is no text is a type all the same. */
export const readType = ({ type }: JsonObject): string | undefined =>
  isOff(type) ? undefined : (asString(type) ?? typeof type)

export function isClientTool(type: string | undefined, tool: JsonObject): boolean {
  if (type === 'shell') return isLocal(tool.environment)
  if (isBuiltIn(tool.function) || isBuiltIn(tool)) return false
  if (type !== undefined) return CLIENT_TYPE.test(type)
  return typeof tool.name === 'string' && (isObject(tool.input_schema) || isObject(tool.parameters))
}

/** Without an environment, the client executes the commands of a shell. */
export const isLocal = (environment: unknown): boolean =>
  isOff(environment) ||
  (asObject(environment).type === 'local' && asArray(asObject(environment).skills).every(isFolder))

/** A skill of the client is a folder; any other is kept by the provider. */
const isFolder = (skill: unknown): boolean => typeof asObject(skill).path === 'string'

export const toServerField = ([field, value]: readonly [string, unknown]): readonly ServerTool[] =>
  SERVER_FIELD.test(field) && !isOff(value) ? [toTool(field, asObject(value))] : []

/** In an entry without a type, every field that does not describe a client's tool is a tool of the provider. */
const isServerField = ([field, value]: readonly [string, unknown]): boolean =>
  !CLIENT_FIELD.test(field) && !DESCRIPTION_FIELDS.has(field) && Boolean(value)

const DESCRIPTION_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description'])

/** How clients switch something off. An empty object switches it on. */
export const isOff = (value: unknown): boolean =>
  !value ||
  (isObject(value) && (value.mode === 'off' || value.enable === false || value.enabled === false)) ||
  (Array.isArray(value) && value.length === 0)

export const toTool = (type: string, entry: JsonObject): ServerTool => ({
  name: NAMES.find(([pattern]) => pattern.test(type))?.[1] ?? type.slice(0, NAME_CHARS_MAX),
  entry,
})

function readSearchField(body: JsonObject, field: (typeof SEARCH_FIELDS)[number]): readonly ServerTool[] {
  const value = body[field]
  if (isOff(value)) return []
  const isPlugin = field === 'plugins' && !asArray(value).some(plugin => asObject(plugin).id === 'web')
  return isPlugin ? [] : [{ name: 'web_search', entry: asObject(value) }]
}
