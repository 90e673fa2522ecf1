import { GatewayError } from '../../core/errors.ts'
import { LargeJson } from '../../core/json/large-json.ts'
import { mapModel } from '../../core/model-names.ts'
import { createProviderIo, type Send } from '../../http-client/send.ts'
import type { HostedToolName } from '../../provider-kit/contract/hosted-tool.ts'
import type {
  AdapterCall,
  Credential,
  Framing,
  UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import { parseForWriting } from '../../provider-kit/exact-numbers.ts'
import { type SelectedHostedTools, selectHostedTools } from '../../provider-kit/hosted-tools.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { hasUsageSemantics, toMeantUsage } from '../../provider-kit/rules/usage-semantics.ts'
import { applyRequestPolicy, type PermittedRequest } from '../request/request-policy.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { AnyOperationAdapter, RelayRequest, ThoughtReader } from '../types.ts'

/** A request translated for the provider of one channel. */
export interface PreparedCall {
  readonly channel: RoutedChannel
  /** The model name that is sent. */
  readonly upstreamModel: string
  readonly adapter: AnyOperationAdapter
  readonly call: AdapterCall<JsonObject>
  readonly request: UpstreamRequest
  readonly framing: Framing
  /** The response's bytes already are what the client expects. */
  readonly isPassthrough: boolean
  /** The provider may serve the request at another URL: in the canonical format, or without hosted tools. */
  readonly hasFallback: boolean
  /** Hosted tools that were left out because the provider lacks them; none by default. */
  readonly droppedTools?: readonly HostedToolName[] | undefined
  /** As the adapter's `adjustments`; undefined when there are none. */
  readonly adjusted?: readonly string[] | undefined
}

/** The part of a call that outlives the start of its response. The body is dropped: prompts are long, and so are streams. */
export type RespondingChannel = Pick<
  PreparedCall,
  'channel' | 'upstreamModel' | 'adapter' | 'droppedTools' | 'adjusted'
>

interface PrepareOptions {
  readonly credential: Credential | undefined
  readonly findOutputLimit: (model: string) => number | undefined
  /** The body with its images inlined. */
  readonly inlineImages: () => Promise<JsonObject>
  readonly send: Send
}

/**
 * Prepares a call of the channel: inlines images, lets the provider's adapter make its own calls first, then translates.
 * Undefined when the provider does not support the request. Throws GatewayError as `buildCall` does, and when an image or a
 * call of the adapter fails.
 */
export async function prepareCall(
  request: RelayRequest,
  channel: RoutedChannel,
  { inlineImages, send, ...options }: PrepareOptions,
): Promise<PreparedCall | undefined> {
  const { provider, view } = channel
  const withImages = needsInlineImages(request, channel)
    ? { ...request, body: await inlineImages() }
    : request
  const adapter = request.operation.findAdapter(provider)
  if (!adapter?.prepare) return buildCall(withImages, channel, options)
  const context = { channel: view, body: withImages.body, requestId: request.requestId }
  const body = await adapter.prepare(context, createProviderIo(view, send))
  return buildCall({ ...withImages, body }, channel, options)
}

/** Whether the provider does not fetch images itself, so that they must be in the body before translation. */
function needsInlineImages(request: RelayRequest, channel: RoutedChannel): boolean {
  const model = mapModel(channel.modelMapping, request.model) ?? request.model
  const { adapter, isNative } = chooseAdapter(request, channel, model)
  return !isNative && adapter?.inlinesImages === true
}

/**
 * Translates a request for a channel; pure. A provider that supports the client's dialect receives the client's own body.
 * A provider that does not stream is called for a JSON response, which the client then receives as a stream.
 * Undefined when the provider does not support the request. Throws GatewayError when it cannot be translated, the channel
 * forbids it, or the model mapping is circular.
 */
export function buildCall(
  relayRequest: RelayRequest,
  channel: RoutedChannel,
  { credential, findOutputLimit }: Partial<PrepareOptions> = {},
): PreparedCall | undefined {
  const permitted = applyRequestPolicy(relayRequest, channel.policy)
  const { request } = permitted
  const upstreamModel = mapModel(channel.modelMapping, request.model)
  const { adapter, isNative } = chooseAdapter(request, channel, upstreamModel ?? request.model)
  if (!adapter || !canRespond(request, adapter)) return undefined
  if (upstreamModel === undefined) throw circularMapping(request, channel)
  const { available, dropped } = chooseHostedTools(permitted, { adapter, isNative }, upstreamModel)
  const translated: AdapterCall<JsonObject> = {
    channel: channel.view,
    model: upstreamModel,
    isStream: request.isStream && adapter.stream !== undefined,
    isLarge: request.isLarge,
    hasLongNumbers: request.hasLongNumbers,
    requestId: request.requestId,
    nowSeconds: request.context.nowSeconds,
    ...(isNative
      ? nativeBody(request)
      : canonicalBody(request, { adapter, provider: channel.provider, upstreamModel })),
    hostedTools: available,
    ...(credential && { credential }),
    isMapped: isOtherModel(request, upstreamModel),
    outputTokensMax: findOutputLimit?.(upstreamModel),
  }
  const call = { ...translated, ownNames: adapter.ownNames?.(translated) }
  const upstreamRequest = withForwardedHeaders(adapter, request, adapter.request(call))
  return {
    channel,
    upstreamModel,
    adapter,
    call,
    request: withSignature(withOverrides(upstreamRequest, channel.paramOverride)),
    framing: adapter.framing ?? 'sse',
    hasFallback: isNative
      ? hasChat(request, channel, adapter)
      : available !== undefined && adapter.hasToolUrl === true,
    isPassthrough: adapter.nativeFormat === request.client.name && !isRewritten(channel) && !call.ownNames,
    droppedTools: dropped ?? request.droppedTools,
    adjusted: findAdjustments(request, translated, adapter),
  }
}

const FIELD_CHARS_MAX = 64

/** Whether the client named another model. */
const isOtherModel = ({ model, bends }: RelayRequest, upstreamModel: string): boolean =>
  upstreamModel !== model || bends?.some(({ from, to }) => from !== to) === true

function findAdjustments(
  { leftOut = [] }: RelayRequest,
  call: AdapterCall<JsonObject>,
  adapter: AnyOperationAdapter,
) {
  const fields = leftOut.map(field => `${field.slice(0, FIELD_CHARS_MAX)} → –`)
  const adjustments = [...fields, ...(adapter.adjustments?.(call) ?? [])]
  return adjustments.length > 0 ? adjustments : undefined
}

/** Whether the provider may also serve the request in the canonical format. */
const hasChat = (
  { nativeOnlyFeature, rejection, operation }: RelayRequest,
  { provider }: RoutedChannel,
  { nativeFormat }: AnyOperationAdapter,
): boolean =>
  nativeOnlyFeature === undefined &&
  rejection === undefined &&
  nativeFormat !== operation.findAdapter(provider)?.nativeFormat

const NO_HOSTED_TOOLS: SelectedHostedTools = { available: undefined, dropped: undefined }

/** None for a request that the provider gets as its client wrote it. */
function chooseHostedTools(
  { request, dropped }: PermittedRequest,
  { adapter, isNative }: { readonly adapter: AnyOperationAdapter; readonly isNative: boolean },
  model: string,
): SelectedHostedTools {
  const { hostedTools, body, client, rejection, avoidsNative } = request
  const { nativeFormat, hostedTools: supported = [], hasToolUrl } = adapter
  const isUnchanged = isNative || (client.name === 'openai' && nativeFormat === 'openai')
  if (dropped) return { available: undefined, dropped }
  if (!hostedTools || rejection || isUnchanged) return NO_HOSTED_TOOLS
  return selectHostedTools(hostedTools, {
    model,
    hasFunctions: asArray(body.tools).length > 0,
    hasFormat: asString(asObject(body.response_format).type)?.startsWith('json') ?? false,
    supported: avoidsNative && hasToolUrl ? [] : supported,
  })
}

/** Adds the client's headers for a provider of its dialect. Those of the adapter take precedence. */
function withForwardedHeaders(
  { nativeFormat, filtersHeaders }: AnyOperationAdapter,
  { client, forwardedHeaders }: RelayRequest,
  request: UpstreamRequest,
): UpstreamRequest {
  return nativeFormat === client.name && !filtersHeaders
    ? { ...request, headers: { ...forwardedHeaders, ...request.headers } }
    : request
}

const canRespond = ({ isStream, operation }: RelayRequest, { stream }: AnyOperationAdapter): boolean =>
  !isStream || stream !== undefined || operation.toChunks !== undefined || operation.converse !== undefined

/** Creates the reader of a streamed response. Undefined when the provider does not stream. */
export function createStreamReader({ adapter, call }: Pick<PreparedCall, 'adapter' | 'call'>) {
  const { body: _, ...streamCall } = call
  const reader = adapter.stream?.(streamCall)
  if (!reader || !hasUsageSemantics(call.channel.setting)) return reader
  return {
    ...reader,
    end() {
      const ended = reader.end()
      return { ...ended, usage: toMeantUsage(ended.usage, { adapter, call }) }
    },
  }
}

interface ChosenAdapter {
  readonly adapter: AnyOperationAdapter | undefined
  readonly isNative: boolean
}

function chooseAdapter(request: RelayRequest, channel: RoutedChannel, model: string): ChosenAdapter {
  const { operation, client, avoidsNative } = request
  const { provider } = channel
  const isCanonical = avoidsNative === true || isRewritten(channel)
  const native = isCanonical ? undefined : operation.findNativeAdapter?.(provider, client.name, model)
  return native && acceptsTools(native, request.clientBody)
    ? { adapter: native, isNative: true }
    : { adapter: operation.findAdapter(provider), isNative: false }
}

/** Otherwise the request is translated, which leaves out what the provider lacks. */
const acceptsTools = (adapter: AnyOperationAdapter, { tools }: JsonObject): boolean =>
  !adapter.acceptsTool ||
  asArray(tools).every(tool => adapter.acceptsTool?.(asString(asObject(tool).type) ?? '') !== false)

type CallBody = Pick<AdapterCall<JsonObject>, 'body' | 'forwardedHeaders' | 'isTranslated'>

const nativeBody = ({ clientBody, verbatimBody, forwardedHeaders }: RelayRequest): CallBody => ({
  body: verbatimBody ?? clientBody,
  forwardedHeaders,
})

/** Throws GatewayError `invalid_request` for a body that the canonical format cannot express. */
function canonicalBody(request: RelayRequest, reader: ThoughtReader): CallBody {
  const { body, client, addThoughts } = request
  rejectUntranslatable(request)
  return { body: addThoughts?.(body, reader) ?? body, isTranslated: client.name !== 'openai' }
}

function rejectUntranslatable({ client, model, nativeOnlyFeature, rejection }: RelayRequest): void {
  if (rejection) throw rejection
  if (nativeOnlyFeature !== undefined)
    throw new GatewayError('invalid_request', {
      zh: `${nativeOnlyFeature.zh}：模型 ${model} 的供应商不支持，仅提供 ${client.name} 接口的供应商支持`,
      en: `${nativeOnlyFeature.en}: the provider of ${model} does not support it, only providers with the ${client.name} API do`,
    })
}

/** As `buildCall` where none of the channels speaks the client's dialect. */
export function rejectIfForeign(request: RelayRequest, channels: readonly RoutedChannel[]): void {
  const isServed = channels.some(channel => chooseAdapter(request, channel, request.model).isNative)
  if (!isServed) rejectUntranslatable(request)
}

const circularMapping = ({ model }: RelayRequest, { id }: RoutedChannel): GatewayError =>
  new GatewayError('upstream_failed', {
    zh: `渠道 ${id} 的模型映射在 ${model} 处形成循环`,
    en: `the model mapping of channel ${id} is circular at ${model}`,
  })

const isRewritten = ({ view: { setting } }: RoutedChannel): boolean =>
  setting.force_format === true || setting.thinking_to_content === true

function withOverrides(request: UpstreamRequest, fields: JsonObject): UpstreamRequest {
  if (Object.keys(fields).length === 0) return request
  if (request.body instanceof FormData) return { ...request, body: overrideForm(request.body, fields) }
  if (request.body instanceof LargeJson) {
    const { value } = request.body
    return isObject(value) ? { ...request, body: new LargeJson({ ...value, ...fields }) } : request
  }
  if (typeof request.body !== 'string') return request
  const body = parseForWriting(request.body)
  return isObject(body) ? { ...request, body: JSON.stringify({ ...body, ...fields }) } : request
}

function overrideForm(form: FormData, fields: JsonObject): FormData {
  const result = new FormData()
  for (const [name, value] of form) if (!Object.hasOwn(fields, name)) result.append(name, value)
  for (const [name, value] of Object.entries(fields))
    result.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  return result
}

/** Signs the body as it is sent, after all overrides. */
function withSignature(request: UpstreamRequest): UpstreamRequest {
  const { sign } = request
  if (!sign) return request
  const body = request.body instanceof LargeJson ? request.body.toBytes() : request.body
  return typeof body === 'string' || body instanceof Uint8Array
    ? { ...request, body, headers: { ...request.headers, ...sign(body) } }
    : request
}
