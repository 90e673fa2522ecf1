import { GatewayError } from '../../core/errors.ts'
import type { BothLanguages } from '../../core/language.ts'
import type { HostedToolName } from '../../provider-kit/contract/hosted-tool.ts'
import { asArray, type JsonObject } from '../../provider-kit/json.ts'
import { readServerTools, withoutServerTools } from '../request/server-tools.ts'
import type { RequestPolicy, RoutedChannel } from '../routing/channel-directory.ts'
import type { RelayRequest } from '../types.ts'

type Policy = NonNullable<RequestPolicy[keyof RequestPolicy]>

/** A request as a channel may send it. */
export interface PermittedRequest {
  readonly request: RelayRequest
  /** The server tools that were left out. */
  readonly dropped?: readonly HostedToolName[]
}

/**
 * Removes what the channel strips. Throws GatewayError `invalid_request` for what it forbids, and for a tool that the client
 * forces.
 */
export function applyRequestPolicy(request: RelayRequest, { policy }: RoutedChannel): PermittedRequest {
  if (!policy) return { request }
  const withTier = policy.serviceTier ? limitServiceTier(request, policy.serviceTier) : request
  return policy.serverTools ? limitServerTools(withTier, policy.serverTools) : { request: withTier }
}

/** Also removes `auto`, which lets the vendor choose a dearer tier. */
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
