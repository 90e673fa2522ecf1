import { GatewayError } from '../../core/errors.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'
import { listChanges } from '../rules/mapped-model.ts'

const TOOL_SEARCH = 'tool-search-tool-2025-10-19'

/** Features that go by another name at the clouds. */
const CLOUD_NAMES: Readonly<Record<string, string>> = { 'advanced-tool-use-2025-11-20': TOOL_SEARCH }

/** The fields of a client's own tools. Clouds refuse others. */
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'input_schema', 'cache_control', 'strict'],
])

/** Fields of such tools that are part of a beta feature. */
const BETA_FIELDS: Readonly<Record<string, string>> = {
  defer_loading: TOOL_SEARCH,
  input_examples: 'tool-examples-2025-10-29',
  eager_input_streaming: 'fine-grained-tool-streaming-2025-05-14',
}

/** Fields of a request that serve Anthropic's own platform. */
const PLATFORM_FIELDS: ReadonlySet<string> = new Set([
  ...['tags', 'diagnostics', 'user_profile_id', 'service_tier', 'speed', 'fallbacks', 'context_hint'],
])

/** Fields without which the answer would be another one. */
const ESSENTIAL_FIELDS = ['safeguards', 'thread', 'inference_geo', 'mcp_servers', 'container']

interface CloudRequest {
  readonly body: JsonObject
  readonly betas: readonly string[]
}

/**
 * A Claude client's request as a cloud takes it: without the beta features, and fields of tools and cache marks, that only
 * Anthropic's own API has. `known`: the beta features that the cloud has. Throws GatewayError `invalid_request`.
 */
export function toCloudRequest(
  { body, forwardedHeaders }: Pick<AdapterCall<JsonObject>, 'body' | 'forwardedHeaders'>,
  known: ReadonlySet<string>,
): CloudRequest {
  const missing = ESSENTIAL_FIELDS.find(field => !saysNothing(body[field]))
  if (missing !== undefined)
    throw new GatewayError('invalid_request', {
      zh: `${missing}：仅 Anthropic 自己的接口支持`,
      en: `${missing}: only Anthropic's own API supports it`,
    })
  const { anthropic_beta: own, ...rest } = body
  const header = forwardedHeaders?.['anthropic-beta']?.split(',') ?? []
  const searches = asArray(body.tools).some(isToolSearch) ? [TOOL_SEARCH] : []
  const named = [...header, ...asArray(own), ...searches].map(beta => String(beta).trim())
  const taken = named.map(beta => CLOUD_NAMES[beta] ?? beta).filter(beta => known.has(beta))
  const betas = [...new Set(taken)]
  const isLeftOut = (field: string): boolean => PLATFORM_FIELDS.has(field) || ESSENTIAL_FIELDS.includes(field)
  const fields = Object.entries(rest).filter(([field]) => !isLeftOut(field))
  return {
    body: {
      ...asObject(withoutScope(Object.fromEntries(fields))),
      ...(isObject(rest.output_config) && { output_config: withoutTaskBudget(rest.output_config) }),
      ...(Array.isArray(rest.tools) && { tools: rest.tools.map(tool => toCloudTool(tool, betas)) }),
      ...(Array.isArray(rest.system) && { system: rest.system.map(withoutScope) }),
      ...(Array.isArray(rest.messages) && { messages: rest.messages.map(withoutScopes) }),
    },
    betas,
  }
}

const saysNothing = (value: unknown): boolean =>
  (value ?? null) === null || (asArray(value).length === 0 && Array.isArray(value))

/** What a task may cost is a beta feature of Anthropic's own API. */
const withoutTaskBudget = ({ task_budget, ...config }: JsonObject): JsonObject => config

/** What the cloud does not get of the client's fields, in the words of receipts. */
export const listLeftOut = (
  call: Pick<AdapterCall<JsonObject>, 'body' | 'forwardedHeaders'>,
  known: ReadonlySet<string>,
): readonly string[] => {
  const { anthropic_beta, ...body } = call.body
  return listChanges(body, toCloudRequest(call, known).body)
}

const isToolSearch = (tool: unknown): boolean =>
  asString(asObject(tool).type)?.startsWith('tool_search_tool') === true

function toCloudTool(tool: unknown, betas: readonly string[]): unknown {
  const { type = 'custom', ...fields } = asObject(tool)
  if (type !== 'custom') return withoutScope(tool)
  const isTaken = (field: string): boolean =>
    TOOL_FIELDS.has(field) || betas.includes(BETA_FIELDS[field] ?? '')
  return Object.keys(fields).every(isTaken)
    ? withoutScope(tool)
    : withoutScope(Object.fromEntries(Object.entries(asObject(tool)).filter(([field]) => isTaken(field))))
}

/** Of a message, and of the results of tools in it. */
function withoutScopes(block: unknown): unknown {
  const { content } = asObject(block)
  const own = withoutScope(block)
  if (!Array.isArray(content)) return own
  const parts = content.map(withoutScopes)
  return parts.every((part, index) => part === content[index]) ? own : { ...asObject(own), content: parts }
}

/** Who shares a cached prompt is a feature of Anthropic's own API. */
const hasScope = (marked: unknown): boolean => asObject(asObject(marked).cache_control).scope !== undefined

function withoutScope(marked: unknown): unknown {
  if (!isObject(marked) || !hasScope(marked)) return marked
  const { scope, ...mark } = asObject(marked.cache_control)
  return { ...marked, cache_control: mark }
}
