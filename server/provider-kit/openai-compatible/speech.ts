import type { JsonObject } from '../chat.ts'
import { countOf, objectOf } from '../json.ts'
import type { SpeechExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import type { SpeechBody } from '../speech.ts'
import { usageFromTotals } from '../usage-buckets.ts'
import { failureReader } from './dead-key-signs.ts'
import { type EndpointDifferences, jsonRequest } from './endpoint.ts'
import { openEventWatch } from './event-watch.ts'

/** Text to sound for vendors that follow OpenAI. Source: platform.openai.com/docs/api-reference/audio/createSpeech */
export function openaiCompatibleSpeech(vendor: EndpointDifferences<SpeechBody> = {}): SpeechExchange {
  return {
    request: call => jsonRequest(call, '/v1/audio/speech', vendor),
    answerKind: (_, contentType) => (contentType.includes('json') ? 'json' : 'passed'),
    reply: json => ({ kind: 'failure', failure: readHiddenFailure(json) }),
    stream: () => openEventWatch({ isLast: ({ type }) => type === 'speech.audio.done', usageOf }),
    ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
  }
}

function usageOf({ usage }: JsonObject) {
  const { input_tokens, output_tokens } = objectOf(usage)
  return usageFromTotals({ prompt: countOf(input_tokens), completion: countOf(output_tokens) })
}
