import type { JsonObject } from '../../provider-kit/chat.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { countOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { failureReader } from '../../provider-kit/openai-compatible/dead-key-signs.ts'
import type { SpeechExchange } from '../../provider-kit/provider.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { type SpeechBody, soundType } from '../../provider-kit/speech.ts'
import { deadKey } from './dead-key.ts'

/** Speech has an address and a kind of key of its own. */
const ARK = 'https://ark.cn-beijing.volces.com'
const OPENSPEECH = 'https://openspeech.bytedance.com'
const CLUSTER = 'volcano_tts'
const VOICE_DEFAULT = 'zh_female_cancan_mars_bigtts'
/** OpenAI's names of formats to this vendor's. */
const ENCODINGS: Readonly<Record<string, string>> = { mp3: 'mp3', opus: 'ogg_opus', wav: 'wav', pcm: 'pcm' }
const SUCCESS = 3000
const STATUS_OF: Readonly<Record<number, number>> = {
  3001: 400,
  3003: 429,
  3005: 503,
  3006: 400,
  3010: 400,
  3011: 400,
  3030: 504,
  3050: 400,
}
const BAD_GATEWAY = 502

/**
 * Sound comes as base64 inside JSON. The token stands in the header, which is what is checked; the one in the body may be any word
 * that is not empty. Source: volcengine.com/docs/6561/79820
 */
export const speech: SpeechExchange = {
  request(call) {
    const { appId, token } = keyParts(call)
    return {
      url: `${call.channel.baseUrl === ARK ? OPENSPEECH : call.channel.baseUrl}/api/v1/tts`,
      headers: { 'content-type': 'application/json', authorization: `Bearer;${token}` },
      body: JSON.stringify(toBody(call, appId)),
    }
  },
  reply(json, { body }) {
    const answer = objectOf(json)
    const audio = Buffer.from(textOf(answer.data) ?? '', 'base64')
    if (answer.code !== SUCCESS || audio.length === 0) return { kind: 'failure', failure: failureOf(answer) }
    return {
      kind: 'reply',
      reply: { contentType: soundType(formatOf(body)), audio: new Uint8Array(audio) },
    }
  },
  failure: failureReader(deadKey),
}

function keyParts({ channel: { key } }: Call<SpeechBody>) {
  const [appId, token] = key.split('|')
  return appId && token ? { appId, token } : refuse('key', 'one part', 'AppId|Token for speech')
}

const formatOf = ({ response_format }: SpeechBody): string => {
  const format = response_format ?? 'mp3'
  return Object.hasOwn(ENCODINGS, format)
    ? format
    : refuse('response_format', `"${format}"`, Object.keys(ENCODINGS).join(', '))
}

const toBody = ({ body, requestId }: Call<SpeechBody>, appId: string): JsonObject => ({
  app: { appid: appId, token: 'in the header', cluster: CLUSTER },
  user: { uid: requestId },
  audio: {
    voice_type: textOf(body.voice) ?? VOICE_DEFAULT,
    encoding: ENCODINGS[formatOf(body)],
    speed_ratio: body.speed ?? 1,
  },
  request: { reqid: requestId, text: body.input, operation: 'query' },
})

function failureOf({ code, message }: JsonObject): Failure {
  const number = countOf(code)
  return {
    status: STATUS_OF[number] ?? BAD_GATEWAY,
    code: `tts_${number}`,
    message: textOf(message) || 'the vendor answered without sound',
  }
}
