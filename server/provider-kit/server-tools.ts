import { GatewayError } from '../core/errors.ts'
import { DEFAULT_IMAGE_MODEL, type ExtraUsage, type ToolImages } from '../core/usage.ts'
import { CONTAINER_MINUTES, readContainer, readServiceTier } from './extra-usage.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from './json.ts'

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
const CLIENT_FIELD = /^(function_?declarations|computer_?use)$/i
/** Fields of an entry, or of a body, that name a tool of some provider, under whatever type they stand. */
const SERVER_FIELD =
  /search|plugin|connector|retriev|mcp|skill|crawl|browse|internet|grounding|fetch|enhancement|multimedia|knowledge|data_?sources|server_?url|tool_?resources|url_?context|maps|code_?(interpreter|execution)|^(container|preset|online|rag|(prompt|assistant|agent|workflow)_?id)$/i
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
  /^(messages|input|contents?|tools|system\w*|instructions|\w*metadata|\w*schema|functions?|\w*format|text|\w*choice|prompt|document\w*|audio\w*|context_management|tool_?config|provider|reasoning|thinking\w*|prediction|logit_bias|user_?location|\w*_filter)$/i
/** Lists of a body's items, of which some bring tools along. */
const ITEM_FIELDS: readonly string[] = ['input', 'messages', 'contents']

/** The tools of the provider that a body in any dialect asks for, and that have a price. */
export function readServerTools(body: JsonObject): readonly ServerTool[] {
  const listed = readToolLists(body)
  return [...listed, ...SEARCH_FIELDS.flatMap(field => readSearchField(body, field))]
}

function readToolLists(body: JsonObject): readonly ServerTool[] {
  const own = body.tools === undefined ? [] : listTools(body.tools).flatMap(toServerTools)
  return [...own, ...ITEM_FIELDS.flatMap(field => readItemTools(body[field]))]
}

function readItemTools(items: unknown): readonly ServerTool[] {
  const tools: ServerTool[] = []
  for (const item of itemsOf(items)) tools.push(...toolsOfItem(item).flatMap(toServerTools))
  return tools
}

/** Lenient servers also take one item without a list. */
const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isObject(value) ? [value] : []

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

/** Lenient servers also take one tool without a list. */
const listTools = (tools: unknown): readonly unknown[] =>
  Array.isArray(tools) ? tools : isOff(tools) ? [] : [tools]

function toServerTools(value: unknown): readonly ServerTool[] {
  if (!isObject(value)) return isOff(value) ? [] : [toTool(asString(value) ?? typeof value, NO_ENTRY)]
  const type = readType(value)
  if (type === 'builtin_function') return [toTool(asString(asObject(value.function).name) ?? type, value)]
  if (type === 'namespace') return listTools(value.tools).flatMap(toServerTools)
  if (isClientTool(type, value)) return Object.entries(value).flatMap(toServerField)
  if (type !== undefined) return [toTool(type, value)]
  const named = asString(value.name)
  const fields = Object.entries(value).filter(isServerField)
  if (fields.length === 0) return named === undefined ? [] : [toTool(named, value)]
  return fields.map(([field, option]) => toTool(field, asObject(option)))
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
  isOff(environment) || asObject(environment).type === 'local'

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
export function findServerTool(body: JsonObject): string | undefined {
  const [listed] = readToolLists(body)
  if (listed) return listed.name
  const field = Object.keys(body).find(name => isToolField(name, body[name]))
  if (field !== undefined) return toTool(field, NO_ENTRY).name
  for (const part of partsOf(body)) {
    const found = findServerTool(part)
    if (found !== undefined) return found
  }
  return undefined
}

/** Agents that the provider runs for a request, each with tools of its own. */
const AGENTS_FIELD = /^(sub_?)?agents$/i

const isNested = (field: string, value: unknown): value is JsonObject =>
  isObject(value) && !PLAIN_FIELD.test(field) && !AGENTS_FIELD.test(field)

/** The parts of a body whose tools are the body's own. */
const partsOf = (body: JsonObject): readonly JsonObject[] =>
  Object.entries(body).flatMap(([field, value]) => {
    if (isNested(field, value)) return [value]
    return AGENTS_FIELD.test(field) && typeof value === 'object' && value
      ? Object.values(value).filter(isObject)
      : []
  })

const isToolField = (field: string, value: unknown): boolean =>
  ((SERVER_FIELD.test(field) || (field !== 'tools' && OTHER_TOOLS.test(field))) &&
    !SEARCH_FILTER.test(field) &&
    !isOff(value)) ||
  isStoredPrompt(field, value)

const isStoredPrompt = (field: string, value: unknown): boolean => field === 'prompt' && isObject(value)

/** Whether the body's own text lies at the provider, so that nothing of it is left without that. */
export const hasStoredPrompt = (body: JsonObject): boolean =>
  isObject(body.prompt) || partsOf(body).some(({ prompt }) => isObject(prompt))

/** The body without the tools of the provider. A choice among tools means nothing where none is left. */
export function withoutServerTools({ tools, ...body }: JsonObject): JsonObject {
  const kept = Object.entries(body).filter(([field, value]) => !isToolField(field, value))
  const rest: JsonObject = Object.fromEntries(
    kept.map(([field, value]) => [field, withoutNested(field, value)]),
  )
  if (tools === undefined) return rest
  const clientTools = listTools(tools).flatMap(toClientTools)
  if (clientTools.length > 0) return { ...rest, tools: clientTools }
  const { tool_choice: _, parallel_tool_calls: __, toolConfig: ___, tool_config: ____, ...others } = rest
  return others
}

function withoutNested(field: string, value: unknown): unknown {
  if (isNested(field, value)) return withoutServerTools(value)
  if (AGENTS_FIELD.test(field)) return withoutAgentTools(value)
  if (!ITEM_FIELDS.includes(field)) return value
  const items = itemsOf(value)
  if (!items.some(item => bringsTools(item) || toolsOfItem(item).length > 0)) return value
  return items.flatMap(item => (bringsTools(item) ? withClientTools(item) : [item]).flatMap(withClientBlocks))
}

function withoutAgentTools(agents: unknown): unknown {
  const strip = (agent: unknown): unknown => (isObject(agent) ? withoutServerTools(agent) : agent)
  if (Array.isArray(agents)) return agents.map(strip)
  if (!isObject(agents)) return agents
  return Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, strip(agent)]))
}

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
  if (entry.type === 'namespace') return [{ ...entry, tools: listTools(entry.tools).flatMap(toClientTools) }]
  if (isClientTool(readType(entry), entry))
    return [Object.fromEntries(Object.entries(entry).filter(field => toServerField(field).length === 0))]
  if (entry.type !== undefined) return []
  const fields = Object.entries(entry).filter(([field]) => CLIENT_FIELD.test(field))
  return fields.length > 0 ? [Object.fromEntries(fields)] : []
}

/** What a request asks of its provider beside tokens. */
export interface RequestedTerms {
  /** The service tier, unless it is the default one. */
  readonly serviceTier?: string
  /** The region that it must be served in. */
  readonly region?: string
  /** The most that it lets the provider's tools do. */
  readonly extras?: ExtraUsage
  /** The models that it names beside its own. */
  readonly otherModels?: readonly NamedModel[]
}

/** A model that a body names beside the one that it asks for. */
export interface NamedModel {
  readonly name: string
  /** It makes pictures, their SVG or transcripts for a tool or a session, at prices of its own. Any other may answer in place of the asked one. */
  readonly isOfTool: boolean
}

/** Where the request sets no limit. A provider that does more is still charged for, beyond the hold. */
const SEARCHES_MAX = 10
const CALLS_MAX = 5
const IMAGES_MAX = 1
/** The highest limit of a client that is held for. */
const USES_MAX = 100
/** One interpreter serves a whole response. */
const INTERPRETERS_MAX = 1
/** Models that search with each request. */
const SEARCHES_BY_ITSELF = /sonar|-search-(preview|api)|:online$/

const NO_TERMS: RequestedTerms = {}

export function readRequestedTerms(body: JsonObject, model: string): RequestedTerms {
  const serviceTier = readServiceTier(body.service_tier ?? body.serviceTier, body.speed)
  const region = body.inference_geo === 'global' ? undefined : asString(body.inference_geo)
  const tools = readServerTools(body)
  const searchesByItself = SEARCHES_BY_ITSELF.test(model)
  const otherModels = readOtherModels(body, model)
  const isPlain = !serviceTier && !region && tools.length === 0 && !searchesByItself
  if (isPlain && otherModels.length === 0) return NO_TERMS
  return {
    ...(otherModels.length > 0 && { otherModels }),
    ...(serviceTier && { serviceTier }),
    ...(region && { region }),
    ...((tools.length > 0 || searchesByItself) && { extras: readExtras(body, tools, searchesByItself) }),
  }
}

function readExtras(body: JsonObject, tools: readonly ServerTool[], searchesByItself: boolean): ExtraUsage {
  const limit = asCount(body.max_tool_calls) || USES_MAX
  let webSearches = searchesByItself ? 1 : 0
  const toolCalls: Record<string, number> = {}
  const toolImages: ToolImages[] = []
  for (const tool of tools)
    if (tool.name === 'web_search') webSearches += usesOf(tool, limit, SEARCHES_MAX)
    else if (tool.name === 'image_generation') toolImages.push(toImages(tool))
    else addToolCalls(toolCalls, tool, limit)
  return {
    ...(webSearches > 0 && { webSearches: Math.min(webSearches, USES_MAX), searchContext: 'high' }),
    toolCalls,
    toolImages,
  }
}

function addToolCalls(toolCalls: Record<string, number>, tool: ServerTool, limit: number): void {
  const container = readContainer(tool.entry)
  if (container !== undefined) toolCalls[container] = (toolCalls[container] ?? 0) + CONTAINER_MINUTES
  else
    toolCalls[tool.name] = usesOf(
      tool,
      limit,
      tool.name === 'code_interpreter' ? INTERPRETERS_MAX : CALLS_MAX,
    )
}

const usesOf = ({ entry }: ServerTool, limit: number, usual: number): number =>
  Math.min(asCount(entry.max_uses) || usual, limit, USES_MAX)

const toImages = ({ entry }: ServerTool): ToolImages => ({
  model: asString(entry.model) ?? DEFAULT_IMAGE_MODEL,
  count: IMAGES_MAX,
  size: asString(entry.size),
  quality: asString(entry.quality),
})

/** Where providers read names of models, at any level, also of forms (`svg[model]`). A preset stands for its model. */
const MODEL_FIELD =
  /(models?|model_?(name|id|list|uri|slug|key|alias)|fallbacks?|^(presets?|llm|deployment(_?(id|name))?))\]?$/i
/** Texts, schemas and data, in which no provider looks for a model. */
const CONTENT_FIELD =
  /^(messages|input|contents?|system\w*|instructions|\w*metadata|parameters|\w*schema|functions?|function_?declarations|response_format|text|tool_choice|prompt|documents|audio_url|file)$/i
const TOOL_MODEL = /image_generation|transcription|^svg\b/
const NAMES_MAX = 16
const LEVELS_MAX = 6
/** Google writes the names of models as paths. */
const PATH = /^models\//

/** Throws GatewayError `invalid_request` for a body that names more models than any provider tries. */
function readOtherModels({ model: _, ...body }: JsonObject, model: string): readonly NamedModel[] {
  const tools = ITEM_FIELDS.flatMap(field => itemsOf(body[field]).flatMap(toolsOfItem))
  const named = [...modelsIn(body, false, 0), ...modelsIn(tools, false, 0)]
  if (named.length === 0) return named
  const found = new Map<string, NamedModel>()
  for (const one of named) {
    const isOfTool = one.isOfTool && found.get(one.name)?.isOfTool !== false
    if (one.name !== '' && one.name !== model) found.set(one.name, { ...one, isOfTool })
  }
  if (found.size > NAMES_MAX)
    throw new GatewayError('invalid_request', {
      zh: `请求中最多可指定 ${NAMES_MAX} 个其他模型`,
      en: `a request may name at most ${NAMES_MAX} other models`,
    })
  return [...found.values()]
}

function modelsIn(value: unknown, isOfTool: boolean, level: number): readonly NamedModel[] {
  if (typeof value !== 'object' || value === null || level > LEVELS_MAX) return []
  if (Array.isArray(value)) return value.flatMap(item => modelsIn(item, isOfTool, level + 1))
  const { type } = asObject(value)
  const isTool = isOfTool || (typeof type === 'string' && TOOL_MODEL.test(type))
  return Object.entries(value).flatMap(([field, content]) => {
    const isOwn = isTool || TOOL_MODEL.test(field)
    if (MODEL_FIELD.test(field)) return namesIn(content, isOwn, level + 1)
    return CONTENT_FIELD.test(field) ? [] : modelsIn(content, isOwn, level + 1)
  })
}

function namesIn(value: unknown, isOfTool: boolean, level: number): readonly NamedModel[] {
  if (typeof value === 'string') return [{ name: value.replace(PATH, ''), isOfTool }]
  if (Array.isArray(value)) return value.flatMap(item => namesIn(item, isOfTool, level))
  const { name, id, ...fields } = asObject(value)
  return [name, id, ...Object.values(fields).filter(Array.isArray)]
    .flatMap(named => (named === undefined ? [] : namesIn(named, isOfTool, level + 1)))
    .concat(modelsIn(fields, isOfTool, level))
}
