import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { audioContentType, type SpeechBody } from '../../provider-kit/contract/operations.ts'
import type { SpeechAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString } from '../../provider-kit/json.ts'
import { bearerHeaders, openaiUrl } from '../../provider-kit/transport.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import { readAnyFailure, readBaseFailure } from './failure.ts'

const VOICE_DEFAULT = 'male-qn-qingse'
const FORMATS: readonly string[] = ['mp3', 'pcm', 'flac', 'wav']
const SAMPLE_RATE = 32_000
const BIT_RATE = 128_000

const formatOf = ({ response_format }: SpeechBody): string => {
  const format = response_format ?? 'mp3'
  return FORMATS.includes(format)
    ? format
    : invalidRequest('response_format', `"${format}"`, FORMATS.join(', '))
}

/** Sound comes as hexadecimal text, and is priced by the character. Source: platform.minimaxi.com/document/T2A_V2 */
export const speech: SpeechAdapter = {
  request: call => ({
    url: openaiUrl(call.channel.baseUrl, '/v1/t2a_v2'),
    headers: bearerHeaders(call),
    body: JSON.stringify(toBody(call.model, call.body)),
  }),
  reply(json, { body }) {
    const failure = readBaseFailure(asObject(json))
    const audio = Buffer.from(asString(asObject(asObject(json).data).audio) ?? '', 'hex')
    if (failure || audio.length === 0)
      return { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
    const characters = asCount(asObject(asObject(json).extra_info).usage_characters)
    return {
      kind: 'reply',
      reply: { contentType: audioContentType(formatOf(body)), audio: new Uint8Array(audio) },
      usage: usageFromTotals({ prompt: characters, completion: 0 }),
    }
  },
  failure: readAnyFailure,
}

const toBody = (model: string, body: SpeechBody): JsonObject => ({
  model,
  text: body.input,
  stream: false,
  voice_setting: {
    voice_id: asString(body.voice) ?? VOICE_DEFAULT,
    speed: body.speed ?? 1,
    vol: 1,
    pitch: 0,
  },
  audio_setting: { sample_rate: SAMPLE_RATE, bitrate: BIT_RATE, format: formatOf(body), channel: 1 },
})
