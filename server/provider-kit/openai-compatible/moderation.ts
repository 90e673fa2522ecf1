import { isObject, textOf } from '../json.ts'
import type { ModerationBody } from '../moderation.ts'
import type { ModerationExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { failureReader } from './dead-key-signs.ts'
import { type EndpointDifferences, jsonRequest } from './endpoint.ts'

/** Source: platform.openai.com/docs/api-reference/moderations */
export function openaiCompatibleModeration(
  vendor: EndpointDifferences<ModerationBody> = {},
): ModerationExchange {
  return {
    request: call => jsonRequest(call, '/v1/moderations', vendor),
    reply(json) {
      if (!isObject(json) || json.error || !Array.isArray(json.results))
        return { kind: 'failure', failure: readHiddenFailure(json) }
      const results = json.results.filter(isObject)
      return { kind: 'reply', reply: { id: textOf(json.id), model: textOf(json.model), results } }
    },
    ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
  }
}
