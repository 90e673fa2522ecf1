import { sameInBoth } from '../../core/language.ts'
import type { AdapterCall, SpeechAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { audioContentType, type SpeechBody } from '../../provider-kit/contract/operations.ts'
import { createFailureReader, type Failure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import { revokedKey } from './ark.ts'

/** Text to speech has its own host and its own type of key. */
const ARK = 'https://ark.cn-beijing.volces.com'
const OPENSPEECH = 'https://openspeech.bytedance.com'
const CLUSTER = 'volcano_tts'
const VOICE_DEFAULT = 'zh_female_cancan_mars_bigtts'
/** OpenAI's format names in the provider's terms. */
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
 * Audio arrives as base64 inside JSON. The token in the header is checked; the one in the body may be any non-empty
 * text. Source: volcengine.com/docs/6561/79820
 */
export const speech: SpeechAdapter = {
  request(call) {
    const { appId, token } = keyParts(call)
    return {
      url: `${call.channel.baseUrl === ARK ? OPENSPEECH : call.channel.baseUrl}/api/v1/tts`,
      headers: { 'content-type': 'application/json', authorization: `Bearer;${token}` },
      body: JSON.stringify(toBody(call, appId)),
    }
  },
  reply(json, { body }) {
    const response = asObject(json)
    const audio = Buffer.from(asString(response.data) ?? '', 'base64')
    if (response.code !== SUCCESS || audio.length === 0)
      return { kind: 'failure', failure: readSpeechFailure(response) }
    return {
      kind: 'reply',
      reply: { contentType: audioContentType(readFormat(body)), audio: new Uint8Array(audio) },
    }
  },
  failure: createFailureReader(revokedKey),
}

function keyParts({ channel: { key } }: AdapterCall<SpeechBody>) {
  const [appId, token] = key.split('|')
  return appId && token
    ? { appId, token }
    : invalidRequest(
        'key',
        { zh: '单个值', en: 'one part' },
        { zh: ' AppId|Token（语音合成）', en: 'AppId|Token for speech' },
      )
}

const readFormat = ({ response_format }: SpeechBody): string => {
  const format = response_format ?? 'mp3'
  return Object.hasOwn(ENCODINGS, format)
    ? format
    : invalidRequest(
        'response_format',
        sameInBoth(`"${format}"`),
        sameInBoth(Object.keys(ENCODINGS).join(', ')),
      )
}

const toBody = ({ body, requestId }: AdapterCall<SpeechBody>, appId: string): JsonObject => ({
  app: { appid: appId, token: 'in the header', cluster: CLUSTER },
  user: { uid: requestId },
  audio: {
    voice_type: asString(body.voice) ?? VOICE_DEFAULT,
    encoding: ENCODINGS[readFormat(body)],
    speed_ratio: body.speed ?? 1,
  },
  request: { reqid: requestId, text: body.input, operation: 'query' },
})

function readSpeechFailure({ code, message }: JsonObject): Failure {
  const number = asCount(code)
  return {
    status: STATUS_OF[number] ?? BAD_GATEWAY,
    code: `tts_${number}`,
    message: asString(message) || 'the provider returned no audio',
  }
}
