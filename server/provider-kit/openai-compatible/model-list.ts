import { isObject, listOf, objectOf, textOf } from '../json.ts'
import type { ModelListExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'

/** The model list of vendors that follow OpenAI. Source: platform.openai.com/docs/api-reference/models/list */
export function openaiCompatibleModelList(path = '/v1/models'): ModelListExchange {
  return {
    request: call => ({
      method: 'GET',
      url: openaiUrl(call.channel.baseUrl, path),
      headers: bearerHeaders(call),
    }),
    reply(json) {
      if (!isObject(json) || !Array.isArray(json.data))
        return { kind: 'failure', failure: readHiddenFailure(json) }
      const names = listOf(json.data).map(model => textOf(objectOf(model).id) ?? '')
      return { kind: 'reply', reply: names.filter(name => name !== '') }
    },
  }
}
