import { GatewayError } from '../../core/errors.ts'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { readSparkFailure } from './failure.ts'
import { httpChat, speaksHttp } from './http.ts'
import { toSignedUrl } from './signed-url.ts'
import { openFrameStream } from './stream.ts'
import { toFrame } from './to-frame.ts'
import { type SparkVersion, sparkVersionOf } from './version.ts'

/** Over a socket that is opened for one question; over HTTP where the channel is set so. The socket knows no whole answers. */
export const chat: ChatAdapter = {
  ...httpChat,
  request: call => (speaksHttp(call.channel) ? httpChat.request(call) : toSocketRequest(call)),
  stream: call => (speaksHttp(call.channel) ? httpChat.stream?.(call) : undefined) ?? openFrameStream(call),
  failure: readSparkFailure,
}

function toSocketRequest({ channel, model, body, nowSeconds }: AdapterCall<ChatBody>): UpstreamRequest {
  const [appId, apiSecret, apiKey] = channel.key.split('|').map(part => part.trim())
  if (!appId || !apiSecret || !apiKey)
    throw new GatewayError('upstream_failed', "the channel's key has not the form APPID|APISecret|APIKey")
  const version = sparkVersionOf(model, channel.other)
  return {
    url: toSignedUrl(hostFor(channel.baseUrl, version) + version.path, { apiKey, apiSecret, nowSeconds }),
    headers: {},
    body: JSON.stringify(toFrame(body, version, appId)),
  }
}

const OFFICIAL = 'wss://spark-api.xf-yun.com'
const OFFICIAL_FOR_PICTURES = 'wss://spark-api.cn-huabei-1.xf-yun.com'

const hostFor = (baseUrl: string, { seesPictures }: SparkVersion): string =>
  seesPictures && baseUrl === OFFICIAL ? OFFICIAL_FOR_PICTURES : baseUrl
