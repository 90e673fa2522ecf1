import type { RequestPolicy as PolicyName } from '#contract/enums.ts'
import { GatewayError } from '../../core/errors.ts'
import { ownEntry } from '../../core/json/json.ts'
import type { BothLanguages } from '../../core/language.ts'
import { DEFAULT_IMAGE_MODEL, type ExtraUsage, type ToolImages } from '../../core/usage.ts'
import type { HostedToolName } from '../../provider-kit/contract/hosted-tool.ts'
import { readServiceTier } from '../../provider-kit/extra-usage.ts'
import { asArray, asCount, asString, type JsonObject } from '../../provider-kit/json.ts'
import { readServerTools, type ServerTool, withoutServerTools } from '../../provider-kit/server-tools.ts'
import type { RelayRequest, RequestedTerms, RequestPolicy, SettingsReader } from '../types.ts'

type Policy = NonNullable<RequestPolicy[keyof RequestPolicy]>

interface PolicySetting {
  readonly service_tier?: PolicyName | undefined
  readonly server_tools?: PolicyName | undefined
}

/** Undefined for a setting that lets everything through. */
export function toRequestPolicy({ service_tier, server_tools }: PolicySetting): RequestPolicy | undefined {
  const isLimited = (policy: PolicyName | undefined): policy is Policy =>
    policy !== undefined && policy !== 'allow'
  if (!isLimited(service_tier) && !isLimited(server_tools)) return undefined
  return {
    ...(isLimited(service_tier) && { serviceTier: service_tier }),
    ...(isLimited(server_tools) && { serverTools: server_tools }),
  }
}

const OTHER_GROUPS = '*'

/**
 * The request as its group and token let it through: the stricter of the two counts. Throws GatewayError `invalid_request` for
 * what one of them forbids.
 */
export function permitForCaller(
  request: RelayRequest,
  settings: SettingsReader<'groupPolicies'>,
): RelayRequest {
  const { groupPolicies } = settings.current()
  const { group, token } = request.caller
  const ofGroup = ownEntry(groupPolicies, group) ?? ownEntry(groupPolicies, OTHER_GROUPS)
  const policies = [ofGroup, token?.policy].filter(policy => policy !== undefined)
  if (policies.length === 0) return request
  const { request: permitted, dropped } = applyRequestPolicy(request, {
    serviceTier: strictest(policies.map(({ serviceTier }) => serviceTier)),
    serverTools: strictest(policies.map(({ serverTools }) => serverTools)),
  })
  const requested = readRequestedTerms(permitted.clientBody, permitted.model)
  return { ...permitted, requested, ...(dropped && { droppedTools: dropped }) }
}

const strictest = (policies: readonly (Policy | undefined)[]): Policy | undefined =>
  (['forbid', 'strip'] as const).find(policy => policies.includes(policy))

/** A request as it may be sent. */
export interface PermittedRequest {
  readonly request: RelayRequest
  /** The server tools that were left out. */
  readonly dropped?: readonly HostedToolName[]
}

/**
 * Removes what the policy strips. Throws GatewayError `invalid_request` for what it forbids, and for a tool that the client
 * forces.
 */
export function applyRequestPolicy(
  request: RelayRequest,
  policy: RequestPolicy | undefined,
): PermittedRequest {
  if (!policy) return { request }
  const withTier = policy.serviceTier ? limitServiceTier(request, policy.serviceTier) : request
  return policy.serverTools ? limitServerTools(withTier, policy.serverTools) : { request: withTier }
}

/** Also removes `auto`, which lets the provider choose a dearer tier. */
function limitServiceTier(request: RelayRequest, policy: Policy): RelayRequest {
  const { serviceTier } = request.requested
  if (policy === 'forbid') {
    if (serviceTier === undefined) return request
    throw forbidden(request, {
      zh: `服务层级 ${serviceTier}`,
      en: `the service tier ${serviceTier}`,
    })
  }
  return hasServiceTier(request.clientBody) ? withBodies(request, withoutServiceTier) : request
}

const hasServiceTier = ({ service_tier, serviceTier, speed }: JsonObject): boolean =>
  service_tier !== undefined || serviceTier !== undefined || typeof speed === 'string'

/** A number is the speed of speech. */
function withoutServiceTier({ service_tier: _, serviceTier: __, ...body }: JsonObject): JsonObject {
  if (typeof body.speed !== 'string') return body
  const { speed: ___, ...rest } = body
  return rest
}

function limitServerTools(request: RelayRequest, policy: Policy): PermittedRequest {
  const name = findServerTool(request.clientBody)
  if (name === undefined) return { request }
  const isForced = (request.hostedTools?.forced?.length ?? 0) > 0
  if (policy === 'forbid' || isForced)
    throw forbidden(request, { zh: `工具 ${name}`, en: `the tool ${name}` })
  const { hostedTools, ...rest } = withBodies(request, withoutServerTools)
  const dropped = [...new Set(hostedTools?.tools.map(({ name }) => name))]
  return { request: { ...rest, hostedTools: undefined }, ...(dropped.length > 0 && { dropped }) }
}

const findServerTool = (body: JsonObject): string | undefined =>
  readServerTools(body)[0]?.name ?? (asArray(body.mcp_servers).length > 0 ? 'mcp' : undefined)

/** All forms of the body, of which two may be one object. */
function withBodies(request: RelayRequest, change: (body: JsonObject) => JsonObject): RelayRequest {
  const { body, clientBody, verbatimBody } = request
  const changed = change(clientBody)
  return {
    ...request,
    clientBody: changed,
    body: body === clientBody ? changed : change(body),
    ...(verbatimBody && { verbatimBody: change(verbatimBody) }),
  }
}

const forbidden = ({ model }: RelayRequest, { zh, en }: BothLanguages): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `管理员不允许对模型 ${model} 使用${zh}`,
    en: `the administrator does not allow ${en} for ${model}`,
  })

/** Where the request sets no limit. A provider that does more is still charged for, beyond the hold. */
const SEARCHES_MAX = 10
const CALLS_MAX = 5
const IMAGES_MAX = 1
/** The highest limit of a client that is held for. */
const USES_MAX = 100
/** One container serves a whole response. */
const CONTAINERS_MAX = 1
/** Models that search with each request. */
const SEARCHES_BY_ITSELF = /sonar|-search-(preview|api)|:online$/

const NO_TERMS: RequestedTerms = {}

export function readRequestedTerms(body: JsonObject, model: string): RequestedTerms {
  const serviceTier = readServiceTier(body.service_tier ?? body.serviceTier, body.speed)
  const region = readRegion(body)
  const tools = readServerTools(body)
  const searchesByItself = SEARCHES_BY_ITSELF.test(model)
  if (!serviceTier && !region && tools.length === 0 && !searchesByItself) return NO_TERMS
  return {
    ...(serviceTier && { serviceTier }),
    ...(region && { region }),
    ...((tools.length > 0 || searchesByItself) && { extras: readExtras(body, tools, searchesByItself) }),
  }
}

const readRegion = ({ inference_geo }: JsonObject): string | undefined =>
  inference_geo === 'global' ? undefined : asString(inference_geo)

function readExtras(body: JsonObject, tools: readonly ServerTool[], searchesByItself: boolean): ExtraUsage {
  const limit = asCount(body.max_tool_calls) || USES_MAX
  let webSearches = searchesByItself ? 1 : 0
  const toolCalls: Record<string, number> = {}
  const toolImages: ToolImages[] = []
  for (const tool of tools)
    if (tool.name === 'web_search') webSearches += usesOf(tool, limit, SEARCHES_MAX)
    else if (tool.name === 'image_generation') toolImages.push(toImages(tool))
    else
      toolCalls[tool.name] = usesOf(
        tool,
        limit,
        tool.name === 'code_interpreter' ? CONTAINERS_MAX : CALLS_MAX,
      )
  return {
    ...(webSearches > 0 && { webSearches: Math.min(webSearches, USES_MAX), searchContext: 'high' }),
    toolCalls,
    toolImages,
  }
}

const usesOf = ({ entry }: ServerTool, limit: number, usual: number): number =>
  Math.min(asCount(entry.max_uses) || usual, limit, USES_MAX)

const toImages = ({ entry }: ServerTool): ToolImages => ({
  model: asString(entry.model) ?? DEFAULT_IMAGE_MODEL,
  count: IMAGES_MAX,
  size: asString(entry.size),
  quality: asString(entry.quality),
})
