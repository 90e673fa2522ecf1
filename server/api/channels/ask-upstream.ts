import { nowSeconds } from '../../core/clock.ts'
import { GatewayError, errorMessage } from '../../core/errors.ts'
import type { ChannelView, ProviderIo, ChannelSetting } from '../../provider-kit/contract/operation-adapter.ts'
import { readAnswerText, type SentAnswer } from '../../relay/upstream/send.ts'
import type { ApiContext } from '../context.ts'
import { z } from 'zod'
import type { ChannelRow } from '../../db/channels/channels.ts'
import type { Provider, ModelListAdapter } from '../../provider-kit/contract/provider.ts'
import { hasSeveralKeys } from './checked-channel.ts'
import { readAdapterFailure } from '../../provider-kit/failures.ts'
import { channelError } from './refuse.ts'

const HEADERS_TIMEOUT_MS = 30_000
export const RESPONSE_TIMEOUT_MS = 60_000

type UpstreamCallDeps = Pick<ApiContext, 'send' | 'signal'>

/** Sends one call as the channel's settings say. Throws a GatewayError `upstream_failed` when nothing answers. */
export async function sendRequest(
  request: Parameters<UpstreamCallDeps['send']>[0],
  channel: ChannelView,
  { send, signal }: UpstreamCallDeps,
): Promise<SentAnswer> {
  const proxy = channel.setting.proxy || undefined
  const sent = await send(request, { waiter: { signal }, headersTimeoutMs: HEADERS_TIMEOUT_MS, proxy })
  if (sent.kind === 'failure') throw upstreamFailed(sent.failure.message)
  return sent
}

/** What a vendor's own small conversations go through. */
export const createProviderIo = (channel: ChannelView, context: UpstreamCallDeps): ProviderIo => ({
  nowSeconds: nowSeconds(),
  async send(request) {
    const sent = await sendRequest(request, channel, context)
    return { status: sent.response.status, json: JSON.parse(await readAnswerText(sent, RESPONSE_TIMEOUT_MS)) }
  },
})

export const upstreamFailed = (message: string): GatewayError => new GatewayError('upstream_failed', message)

type UpstreamColumns = Pick<ChannelRow, 'id' | 'base_url' | 'other' | 'openai_organization' | 'setting'>

const ProxySetting = z.object({ proxy: z.string().optional() })

/** What the vendor's code may see of a channel, with its first key, for calls that are not a caller's request. */
export const toProviderChannel = (channel: UpstreamColumns, key: string, provider: Provider): ChannelView => ({
  id: channel.id,
  key: hasSeveralKeys(channel.setting) ? (key.split('\n')[0] ?? '') : key,
  baseUrl: channel.base_url || provider.baseUrl,
  other: channel.other,
  organization: channel.openai_organization,
  setting: parseSetting(channel.setting),
})

function parseSetting(text: string): ChannelSetting {
  const { proxy } = ProxySetting.parse(text === '' ? {} : JSON.parse(text))
  return proxy ? { proxy } : {}
}

const MODELS_MAX = 5000

type FetchModelsDeps = Pick<ApiContext, 'send' | 'signal' | 'requestId'>

/** Asks the vendor for its models. Refuses with the reason when the vendor cannot, or does not, say. */
export async function fetchModels(
  provider: Provider,
  channel: ChannelView,
  context: FetchModelsDeps,
): Promise<string[]> {
  const exchange = provider.listModels
  if (!exchange) throw channelError('cannot_list_models')
  try {
    return [...new Set(await requestModels(exchange, provider, channel, context))].slice(0, MODELS_MAX)
  } catch (error) {
    if (error instanceof GatewayError || error instanceof SyntaxError)
      throw channelError('fetch_failed', { reason: errorMessage(error) })
    throw error
  }
}

async function requestModels(
  exchange: ModelListAdapter,
  provider: Provider,
  channel: ChannelView,
  context: FetchModelsDeps,
): Promise<readonly string[]> {
  const io = createProviderIo(channel, context)
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
  const text = await readAnswerText(sent, RESPONSE_TIMEOUT_MS)
  if (!response.ok) throw upstreamFailed(readAdapterFailure(exchange, response.status, text, response.headers).message)
  const replied = exchange.reply(JSON.parse(text), call)
  if (replied.kind === 'failure') throw upstreamFailed(replied.failure.message)
  return replied.reply
}
