import { GatewayError } from '../../core/errors.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import type { AdapterCall, Credential, DialectName, Framing, UpstreamRequest } from '../../provider-kit/exchange.ts'
import { isObject, parseJson } from '../../provider-kit/json.ts'
import type { OperationExchange } from '../operations/operation.ts'
import type { RelayRequest } from '../request/relay-request.ts'
import { mapModel } from '../routing/model-mapping.ts'
import type { RoutedChannel } from '../routing/routed-channel.ts'

/** An order as one channel's vendor will be asked. */
export interface Adapted {
  readonly channel: RoutedChannel
  /** The name that is sent. */
  readonly upstreamModel: string
  readonly exchange: OperationExchange
  readonly call: AdapterCall<JsonObject>
  readonly request: UpstreamRequest
  readonly framing: Framing
  /** The answer's bytes already are what the client wants to read. */
  readonly isPassage: boolean
  /** The vendor may have another address for the same wish, in the canonical form. */
  readonly hasOtherWay: boolean
}

/** Who answers, once an answer has begun. What was sent is let go: prompts are long, and so are streams. */
export type Answering = Pick<Adapted, 'channel' | 'upstreamModel' | 'exchange'>

/**
 * Translates an order for a channel; pure. A vendor that speaks the client's dialect itself gets the client's own body.
 * Undefined when the vendor cannot do what is asked. A vendor that does not stream is asked for a whole answer, which
 * the client then gets in pieces.
 * Throws GatewayError for what this vendor cannot be asked or a mapping that runs in a circle.
 */
export function adapt(order: RelayRequest, channel: RoutedChannel, credential?: Credential): Adapted | undefined {
  const upstreamModel = mapModel(channel.modelMapping, order.model)
  const { exchange, isNative } = chooseExchange(order, channel, upstreamModel ?? order.model)
  if (!exchange || !canAnswer(order, exchange)) return undefined
  if (upstreamModel === undefined) throw runsInCircle(order, channel)
  const call: AdapterCall<JsonObject> = {
    channel: channel.view,
    model: upstreamModel,
    isStream: order.isStream && exchange.stream !== undefined,
    requestId: order.requestId,
    nowSeconds: order.context.nowSeconds,
    ...(isNative ? nativeBody(order) : canonicalBody(order)),
    ...(credential && { credential }),
  }
  return {
    channel,
    upstreamModel,
    exchange,
    call,
    request: signed(overridden(exchange.request(call), channel.paramOverride)),
    framing: exchange.framing ?? 'sse',
    hasOtherWay:
      isNative && order.nativeOnlyFeature === undefined && exchange.nativeFormat !== canonicalWire(order, channel),
    isPassage: exchange.nativeFormat === order.client.name && !rewritesAnswers(channel),
  }
}

const canAnswer = ({ isStream, operation }: RelayRequest, { stream }: OperationExchange): boolean =>
  !isStream || stream !== undefined || operation.toChunks !== undefined || operation.isConversation === true

/** Opens what reads a streamed answer. Undefined where the vendor gives none. */
export function readerOf({ exchange, call }: Pick<Adapted, 'exchange' | 'call'>) {
  const { body: _, ...reading } = call
  return exchange.stream?.(reading)
}

/** Whether this channel's vendor fetches no pictures, so that they must be in the body before it is translated. */
export function wantsPicturesEmbedded(order: RelayRequest, channel: RoutedChannel): boolean {
  const model = mapModel(channel.modelMapping, order.model) ?? order.model
  const { exchange, isNative } = chooseExchange(order, channel, model)
  return !isNative && exchange?.inlinesImages === true
}

const canonicalWire = ({ operation }: RelayRequest, { provider }: RoutedChannel): DialectName | undefined =>
  operation.findAdapter(provider)?.nativeFormat

interface Chosen {
  readonly exchange: OperationExchange | undefined
  readonly isNative: boolean
}

function chooseExchange(order: RelayRequest, channel: RoutedChannel, model: string): Chosen {
  const { operation, client, avoidsNative } = order
  const { provider } = channel
  const isCanonical = avoidsNative === true || rewritesAnswers(channel)
  const native = isCanonical ? undefined : operation.findNativeAdapter?.(provider, client.name, model)
  return { exchange: native ?? operation.findAdapter(provider), isNative: native !== undefined }
}

type Asking = Pick<AdapterCall<JsonObject>, 'body' | 'shownHeaders' | 'isTranslated'>

const nativeBody = ({ clientBody, shownHeaders }: RelayRequest): Asking => ({ body: clientBody, forwardedHeaders })

/** Throws a GatewayError `invalid_request` for a wish that the canonical form cannot say. */
function canonicalBody({ body, client, model, nativeOnlyFeature }: RelayRequest): Asking {
  if (nativeOnlyFeature !== undefined)
    throw new GatewayError(
      'invalid_request',
      `${nativeOnlyFeature}: the vendor of ${model} cannot be asked for it, needed one that speaks the ${client.name} dialect itself`,
    )
  return { body, isTranslated: client.name !== 'openai' }
}

const runsInCircle = ({ model }: RelayRequest, { id }: RoutedChannel): GatewayError =>
  new GatewayError('upstream_failed', `the model mapping of channel ${id} runs in a circle at ${model}`)

const rewritesAnswers = ({ view: { setting } }: RoutedChannel): boolean =>
  setting.force_format === true || setting.thinking_to_content === true

function overridden(request: UpstreamRequest, fields: JsonObject): UpstreamRequest {
  if (Object.keys(fields).length === 0) return request
  if (request.body instanceof FormData) return { ...request, body: overriddenForm(request.body, fields) }
  if (typeof request.body !== 'string') return request
  const body = parseJson(request.body)
  return isObject(body) ? { ...request, body: JSON.stringify({ ...body, ...fields }) } : request
}

function overriddenForm(form: FormData, fields: JsonObject): FormData {
  const changed = new FormData()
  for (const [name, value] of form) if (!Object.hasOwn(fields, name)) changed.append(name, value)
  for (const [name, value] of Object.entries(fields))
    changed.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  return changed
}

const signed = (request: UpstreamRequest): UpstreamRequest =>
  request.sign && typeof request.body === 'string'
    ? { ...request, headers: { ...request.headers, ...request.sign(request.body) } }
    : request
