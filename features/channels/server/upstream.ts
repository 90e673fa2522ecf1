import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { errorTexts, GatewayError } from '#server/core/errors.ts'
import { type LocalizedMessage, textsOf } from '#server/core/language.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import { readResponseText } from '#server/http-client/read-response.ts'
import { connectionOwner, type ReceivedResponse } from '#server/http-client/send.ts'
import type {
  ChannelSetting,
  ChannelView,
  ModelListAdapter,
  ProviderIo,
} from '#server/provider-kit/contract/operation-adapter.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { readAdapterFailure } from '#server/provider-kit/failures.ts'
import { hasSeveralKeys, readProxy } from './channel-input.ts'
import { channelError } from './errors.ts'

const HEADERS_TIMEOUT_MS = 30_000
export const RESPONSE_TIMEOUT_MS = 60_000

type UpstreamCallDeps = Pick<ApiContext, 'send' | 'signal'>

/**
 * Sends one management request to a channel's provider, through the channel's proxy when it has one.
 * Throws a GatewayError `upstream_failed` when there is no response.
 */
export async function sendRequest(
  request: Parameters<UpstreamCallDeps['send']>[0],
  channel: ChannelView,
  { send, signal }: UpstreamCallDeps,
): Promise<ReceivedResponse> {
  const proxy = channel.setting.proxy || undefined
  const sent = await send(request, {
    signal,
    headersTimeoutMs: HEADERS_TIMEOUT_MS,
    proxy,
    owner: connectionOwner(channel),
  })
  if (sent.kind === 'failure') throw toUpstreamError(sent.failure)
  return sent
}

/** The I/O that provider code uses for balances and access tokens. */
export const createChannelIo = (channel: ChannelView, context: UpstreamCallDeps): ProviderIo => ({
  nowSeconds: nowSeconds(),
  async send(request) {
    const sent = await sendRequest(request, channel, context)
    return {
      status: sent.response.status,
      json: JSON.parse(await readResponseText(sent, RESPONSE_TIMEOUT_MS)),
    }
  },
})

export const toUpstreamError = (failure: LocalizedMessage): GatewayError =>
  new GatewayError('upstream_failed', textsOf(failure))

type UpstreamColumns = Pick<ChannelRow, 'id' | 'base_url' | 'other' | 'openai_organization' | 'setting'>

/** The part of a channel that provider code sees, with its first key. For management calls, not for relayed requests. */
export const toProviderChannel = (
  channel: UpstreamColumns,
  key: string,
  provider: Provider,
): ChannelView => ({
  id: channel.id,
  key: hasSeveralKeys(channel.setting) ? (key.split('\n')[0] ?? '') : key,
  baseUrl: channel.base_url || provider.baseUrl,
  other: channel.other,
  organization: channel.openai_organization,
  setting: parseSetting(channel.setting),
})

function parseSetting(text: string): ChannelSetting {
  const proxy = readProxy(text)
  return proxy ? { proxy } : {}
}

const MODELS_MAX = 5000

type FetchModelsDeps = Pick<ApiContext, 'send' | 'signal' | 'requestId'>

/** Fetches the provider's model names. Throws `channel.cannot_list_models` or `channel.fetch_failed` with the reason. */
export async function fetchModels(
  provider: Provider,
  channel: ChannelView,
  context: FetchModelsDeps,
): Promise<string[]> {
  const exchange = provider.listModels
  if (!exchange) throw channelError('cannot_list_models')
  try {
    return [...new Set(await adapter(exchange, provider, channel, context))].slice(0, MODELS_MAX)
  } catch (error) {
    if (error instanceof GatewayError || error instanceof SyntaxError)
      throw channelError('fetch_failed', { reason: errorTexts(error) })
    throw error
  }
}

async function adapter(
  exchange: ModelListAdapter,
  provider: Provider,
  channel: ChannelView,
  context: FetchModelsDeps,
): Promise<readonly string[]> {
  const io = createChannelIo(channel, context)
  const call = {
    channel,
    model: '',
    body: undefined,
    isStream: false,
    requestId: context.requestId,
    nowSeconds: io.nowSeconds,
    ...(provider.credential && { credential: await provider.credential(channel, io) }),
  }
  const sent = await sendRequest(exchange.request(call), channel, context)
  const { response } = sent
  const text = await readResponseText(sent, RESPONSE_TIMEOUT_MS)
  if (!response.ok)
    throw toUpstreamError(readAdapterFailure(exchange, response.status, text, response.headers))
  const replied = exchange.reply(JSON.parse(text), call)
  if (replied.kind === 'failure') throw toUpstreamError(replied.failure)
  return replied.reply
}
