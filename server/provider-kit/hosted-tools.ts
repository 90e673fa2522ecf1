import { GatewayError } from '../core/errors.ts'
import { DEFAULT_IMAGE_MODEL, type ExtraUsage, type ToolImages } from '../core/usage.ts'
import { type NamedModel, readNamedModels, readServerTools, type ServerTool } from './body-terms.ts'
import type {
  AvailableHostedTools,
  HostedTool,
  HostedToolName,
  HostedToolSupport,
  HostedTools,
  MappedHostedTool,
  UserLocation,
  WebSearchTool,
} from './contract/hosted-tool.ts'
import { CONTAINER_MINUTES, readContainer, readServiceTier } from './extra-usage.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject, omitNullish } from './json.ts'

/** The types that a dialect gives a hosted tool, without the dates of versions. */
export interface HostedToolFamily {
  readonly type: RegExp
  readonly name: HostedToolName
  /** Undefined for options that only this dialect has. Absent where the tool has no counterpart in other dialects. */
  readonly read?: (tool: JsonObject) => MappedHostedTool | undefined
}

/** Reads the hosted tools among the tools of a request. Other tools are left out. */
export const readHostedTools = (
  tools: readonly unknown[],
  families: readonly HostedToolFamily[],
): readonly HostedTool[] =>
  tools.flatMap(json => {
    const tool = asObject(json)
    const family = findHostedFamily(tool.type, families)
    return family ? [toHostedTool(tool, family)] : []
  })

export const findHostedFamily = (
  type: unknown,
  families: readonly HostedToolFamily[],
): HostedToolFamily | undefined => {
  const text = asString(type)
  return text === undefined ? undefined : families.find(family => family.type.test(text))
}

const toHostedTool = (tool: JsonObject, { name, read }: HostedToolFamily): HostedTool =>
  read?.(tool) ?? { name, isForeign: true }

/** The texts of a list; undefined where there is none. */
export function readTexts(json: unknown): readonly string[] | undefined {
  const texts = asArray(json).filter(value => typeof value === 'string')
  return texts.length > 0 ? texts : undefined
}

export const readPositive = (json: unknown): number | undefined =>
  typeof json === 'number' && Number.isSafeInteger(json) && json > 0 ? json : undefined

export function readUserLocation(json: unknown): UserLocation | undefined {
  if (!isObject(json)) return undefined
  const { city, region, country, timezone } = json
  const location = omitNullish({
    city: asString(city),
    region: asString(region),
    country: asString(country),
    timezone: asString(timezone),
  })
  return Object.keys(location).length > 0 ? location : undefined
}

export const readContextSize = (json: unknown): 'low' | 'medium' | 'high' | undefined =>
  json === 'low' || json === 'medium' || json === 'high' ? json : undefined

/** The search of a chat request. Source: platform.openai.com/docs/api-reference/chat/create */
export const readSearchOptions = ({ user_location, search_context_size }: JsonObject): WebSearchTool => ({
  name: 'web_search',
  userLocation: readUserLocation(asObject(user_location).approximate),
  contextSize: readContextSize(search_context_size),
})

interface HostedToolQuery {
  /** The model name that is sent. */
  readonly model: string
  readonly hasFunctions: boolean
  /** The client requires JSON. */
  readonly hasFormat: boolean
  readonly supported: readonly HostedToolSupport[]
}

/** A request's hosted tools at one provider. */
export interface SelectedHostedTools {
  readonly available: AvailableHostedTools | undefined
  /** The tools that the provider lacks, each once; undefined when it has all of them. */
  readonly dropped: readonly HostedToolName[] | undefined
}

/**
 * Leaves out the tools that the provider lacks: without them, the model answers as well as it can. Throws a GatewayError
 * `invalid_request` when the client forces one of them.
 */
export function selectHostedTools(
  { tools, forced }: HostedTools,
  query: HostedToolQuery,
): SelectedHostedTools {
  const kept = tools.filter((tool): tool is MappedHostedTool => isAvailable(tool, query))
  const names = new Set<HostedToolName>(kept.map(({ name }) => name))
  const dropped = new Set(tools.filter(tool => !isKept(tool, kept)).map(({ name }) => name))
  const [missing] = forced ?? []
  const chosen = forced?.find(name => names.has(name))
  if (missing !== undefined && chosen === undefined) throw forcedButMissing(missing, query.model)
  return {
    available: kept.length > 0 ? { tools: kept, forced: chosen } : undefined,
    dropped: dropped.size > 0 ? [...dropped] : undefined,
  }
}

const isKept = (tool: HostedTool, kept: readonly HostedTool[]): boolean => kept.includes(tool)

const isAvailable = (tool: HostedTool, { model, supported, ...query }: HostedToolQuery): boolean =>
  !('isForeign' in tool) &&
  supported.some(
    ({ tool: name, models, isAlone, isNativeOnly }) =>
      name === tool.name &&
      !isNativeOnly &&
      (models?.test(model) ?? true) &&
      !(isAlone && (query.hasFunctions || query.hasFormat)),
  )

const forcedButMissing = (tool: HostedToolName, model: string): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `tool_choice：要求使用工具 ${tool}，但模型 ${model} 的供应商不提供该工具`,
    en: `tool_choice: requires the tool ${tool}, which the provider of ${model} does not have`,
  })

/** These only name what the client runs, or what it has declared. */
const WITHOUT_INPUT: ReadonlySet<HostedToolName> = new Set([
  'computer_use',
  'browser_use',
  'shell',
  'tool_search',
  'image_generation',
])

/** Whether the provider may add input that the request does not show, such as the pages of a search. */
export const addsInput = (hosted: HostedTools | undefined): boolean =>
  hosted?.tools.some(({ name }) => !WITHOUT_INPUT.has(name)) ?? false

/** Ids of files, containers, threads, stores, caches, skills and batches, in any spelling. */
const ID_FIELD =
  /^(container(_?id)?|((upload|input)_?)?file_?ids?|thread(_?id)?|previous_message_?id|(vector_?store|knowledge(_?base)?|library|collection|pipeline|skill|batch|context|cache)_?ids?|cached_?content|(file_?search_?store|corpus|corpora)_?names?|rag_?corp(us|ora)|data_?stores?)$/i
/** Names of Google's resources, and addresses in clouds. */
const RESOURCE =
  /^(gs:\/\/|s3:\/\/|arn:aws|projects\/[^/]+\/locations\/|cachedContents\/|fileSearchStores\/|corpora\/|files\/[\w-]+$|https:\/\/generativelanguage\.googleapis\.com\/)/
/** Names, data and schemas of the client. */
const OWN_FIELD =
  /^(\w*metadata|labels|\w*schema|properties|\$defs|arguments|args|function_?(call|response)|\w*model\w*|(file)?_?name|path|title|description|data|signature|encrypted_content)$/i
/** What a model reads. */
const TEXT_FIELD = /^(text|content|input|instructions|system|prompt|output|thinking|query)$/
/** Qwen reads such texts as files. */
const FILE_TEXT = /^fileid:\/\//

const KINDS_MAX = 10_000
const kinds = new Map<string, 'id' | 'client' | 'text' | 'other'>()

function kindOf(field: string) {
  const known = kinds.get(field)
  if (known) return known
  const rest = TEXT_FIELD.test(field) ? 'text' : 'other'
  const kind = OWN_FIELD.test(field) ? 'client' : ID_FIELD.test(field) ? 'id' : rest
  if (kinds.size < KINDS_MAX) kinds.set(field, kind)
  return kind
}

/** The ids in a request or a response of any format that name what an account of a provider keeps. */
export function readAccountIds(json: JsonObject): readonly string[] {
  const ids = new Set<string>()
  addIds(json, ids)
  return [...ids]
}

function addIds(json: JsonObject, ids: Set<string>): void {
  for (const field in json) if (!isOfClient(field, json)) addIdsOf(field, json[field], json, ids)
}

function addIdsOf(field: string, value: unknown, parent: JsonObject, ids: Set<string>): void {
  if (typeof value === 'string') {
    if (isAccountId(field, value, parent)) ids.add(value)
  } else if (Array.isArray(value)) for (const entry of value) addIdsOf(field, entry, parent, ids)
  else if (isObject(value)) {
    const id = field === 'prompt' || kindOf(field) === 'id' ? asString(value.id) : undefined
    if (id) ids.add(id)
    addIds(value, ids)
  }
}

/** Claude's own skills belong to nobody. */
function isAccountId(field: string, value: string, { type }: JsonObject): boolean {
  const kind = kindOf(field)
  if (kind === 'id') return value !== '' && type !== 'anthropic'
  return (kind === 'text' ? FILE_TEXT : RESOURCE).test(value)
}

/** Names and schemas, and what a model calls functions with. */
const isOfClient = (field: string, { type, name }: JsonObject): boolean =>
  kindOf(field) === 'client' ||
  (field === 'parameters' && typeof name === 'string') ||
  (field === 'input' && typeof type === 'string' && type.endsWith('tool_use'))

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
  /** Texts outside of what a model reads that name others if they are names of models. */
  readonly mentions?: readonly string[]
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
  const { otherModels, mentions } = readNamedModels(body, model)
  const isPlain = !serviceTier && !region && tools.length === 0 && !searchesByItself
  if (isPlain && otherModels.length + mentions.length === 0) return NO_TERMS
  return {
    ...(otherModels.length > 0 && { otherModels }),
    ...(mentions.length > 0 && { mentions }),
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
