import type { RequestPolicy as PolicyName } from '#contract/enums.ts'
import { GatewayError } from '../../core/errors.ts'
import { ownEntry } from '../../core/json/json.ts'
import type { BothLanguages } from '../../core/language.ts'
import { findUnknownField, withoutUnknownFields } from '../../provider-kit/body-fields.ts'
import type { NamedModel } from '../../provider-kit/body-terms.ts'
import type { HostedToolName } from '../../provider-kit/contract/hosted-tool.ts'
import { withoutServiceTier } from '../../provider-kit/extra-usage.ts'
import { type RequestedTerms, readRequestedTerms } from '../../provider-kit/hosted-tools.ts'
import { asObject, type JsonObject } from '../../provider-kit/json.ts'
import { type BodyChange, bendBody } from '../../provider-kit/rules/effort.ts'
import { findServerTool, hasStoredPrompt, withoutServerTools } from '../../provider-kit/server-tools.ts'
import { idNotFound } from '../../provider-kit/validation.ts'
import type { BentModel, Caller, RelayRequest, RequestPolicy, SettingsReader } from '../types.ts'

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
  settings: SettingsReader<'GroupRequestPolicies' | 'prices'>,
): RelayRequest {
  const policies = callerPolicies(request.caller, settings)
  if (policies.length === 0) return judgeModels(request, settings)
  const { request: permitted, dropped } = applyRequestPolicy(request, {
    serviceTier: strictest(policies.map(({ serviceTier }) => serviceTier)),
    serverTools: strictest(policies.map(({ serverTools }) => serverTools)),
  })
  const requested = readRequestedTerms(permitted.clientBody, permitted.model)
  return judgeModels({ ...permitted, requested, ...(dropped && { droppedTools: dropped }) }, settings)
}

/** The request with what a budget's rule puts in the place of its model and effort, judged as if the client had named it. */
export function bendRequest(
  request: RelayRequest,
  bend: BentModel,
  settings: SettingsReader<'GroupRequestPolicies' | 'prices'>,
): RelayRequest {
  const { to: model, effort } = bend
  rejectForbiddenModel(request.caller, model)
  const change = bendBody(bend)
  const renamed = withBodies(request, change)
  const requested = readRequestedTerms(renamed.clientBody, model)
  const echoedFields = change(request.context.echoedFields, request.client.name)
  const context = { ...request.context, model, echoedFields }
  const bends = [...(request.bends ?? []), bend]
  const bent = { ...renamed, model, requested, context, bends, effort: effort?.to ?? request.effort }
  return permitForCaller(bent, settings)
}

/** A request with every model that it names. Throws GatewayError `model_not_allowed` for one outside the token's list. */
function judgeModels(request: RelayRequest, settings: SettingsReader<'prices'>): RelayRequest {
  const { mentions = [], ...requested } = request.requested
  const otherModels = withMentioned(request.requested, settings)
  for (const { name } of otherModels) rejectForbiddenModel(request.caller, name)
  const sent = request.caller.token?.models ? withKnownFields(request) : request
  return mentions.length === 0
    ? sent
    : { ...sent, requested: { ...requested, ...(otherModels.length > 0 && { otherModels }) } }
}

const LEFT_OUT_MAX = 10

/** For tokens with a list of models: only a router knows what a field that nobody documents names. */
function withKnownFields(request: RelayRequest): RelayRequest {
  const known = withBodies(request, withoutUnknownTexts)
  if (known.clientBody === request.clientBody) return known
  const leftOut = Object.keys(request.clientBody).filter(field => known.clientBody[field] === undefined)
  return { ...known, leftOut: leftOut.slice(0, LEFT_OUT_MAX) }
}

const withoutUnknownTexts = (body: JsonObject): JsonObject =>
  findUnknownField(body, isNaming) === undefined ? body : withoutUnknownFields(body, isNaming)

/** Numbers and switches name nothing. */
const isNaming = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null)

/** The models that are named for sure, and texts that are names of models with a price. */
function withMentioned(
  { otherModels = [], mentions = [] }: RequestedTerms,
  settings: SettingsReader<'prices'>,
): readonly NamedModel[] {
  const { prices } = settings.current()
  const priced = mentions.filter(name => prices.find(name) !== undefined)
  return [...otherModels, ...priced.map(name => ({ name, isOfTool: false }))]
}

/** Throws GatewayError `model_not_allowed` for a model outside the token's list. */
export function rejectForbiddenModel({ token }: Caller, model: string): void {
  if (token?.models && !token.models.has(model))
    throw new GatewayError('model_not_allowed', {
      zh: `该令牌无权使用模型 ${model}`,
      en: `the token may not use the model ${model}`,
    })
}

/** The rules of the group and of the token. */
function callerPolicies(
  { group, token }: Caller,
  settings: SettingsReader<'GroupRequestPolicies'>,
): readonly RequestPolicy[] {
  const { GroupRequestPolicies: policies } = settings.current()
  const ofGroup = ownEntry(policies, group) ?? ownEntry(policies, OTHER_GROUPS)
  return [ofGroup && toRequestPolicy(ofGroup), token?.policy].filter(policy => policy !== undefined)
}

/**
 * Throws GatewayError for an event of a conversation that asks for a tool of the provider, where group, token or channel
 * limit them, or for a model outside the token's list: a conversation goes on without the event.
 */
export function judgeEvent(
  event: unknown,
  { caller, model }: Pick<RelayRequest, 'caller' | 'model'>,
  { settings, channel, readForeignIds }: EventRules,
): void {
  const session = asObject(event)
  for (const { name } of withMentioned(readRequestedTerms(session, model), settings))
    rejectForbiddenModel(caller, name)
  const [id] = readForeignIds(session)
  if (id !== undefined) throw idNotFound(id)
  const policies = [...callerPolicies(caller, settings), ...(channel.policy ? [channel.policy] : [])]
  if (!policies.some(({ serverTools }) => serverTools !== undefined)) return
  const name = findServerTool(session)
  if (name !== undefined) throw forbidden({ model }, { zh: `工具 ${name}`, en: `the tool ${name}` })
}

export interface EventRules {
  readonly settings: SettingsReader<'GroupRequestPolicies' | 'prices'>
  /** The ids of what an account keeps that the caller may not name. */
  readonly readForeignIds: (event: JsonObject) => readonly string[]
  /** The channel that responds. */
  readonly channel: { readonly policy?: RequestPolicy | undefined }
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
  return withBodies(request, withoutServiceTier)
}

function limitServerTools(request: RelayRequest, policy: Policy): PermittedRequest {
  const name = findServerTool(request.clientBody)
  if (name === undefined) return { request }
  const isForced = (request.hostedTools?.forced?.length ?? 0) > 0 || hasStoredPrompt(request.clientBody)
  const { hostedTools, ...rest } = withBodies(request, withoutServerTools)
  // What stands where no tool belongs is not removed.
  const forbiddenName = policy === 'forbid' || isForced ? name : findServerTool(rest.clientBody)
  if (forbiddenName !== undefined)
    throw forbidden(request, { zh: `工具 ${forbiddenName}`, en: `the tool ${forbiddenName}` })
  const dropped = [...new Set(hostedTools?.tools.map(({ name }) => name))]
  return { request: { ...rest, hostedTools: undefined }, ...(dropped.length > 0 && { dropped }) }
}

/** All forms of the body, of which two may be one object. The canonical one is a chat's. */
function withBodies(request: RelayRequest, change: BodyChange): RelayRequest {
  const { body, clientBody, verbatimBody, client } = request
  const changed = change(clientBody, client.name)
  return {
    ...request,
    clientBody: changed,
    body: body === clientBody ? changed : change(body, 'openai'),
    ...(verbatimBody && { verbatimBody: change(verbatimBody, client.name) }),
  }
}

const forbidden = ({ model }: Pick<RelayRequest, 'model'>, { zh, en }: BothLanguages): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `管理员不允许对模型 ${model} 使用${zh}`,
    en: `the administrator does not allow ${en} for ${model}`,
  })
