import type { Call } from '../exchange.ts'
import { isObject, listOf, objectOf, textOf } from '../json.ts'
import type { ModelListExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'

interface OpenaiCompatibleModelList {
  readonly path?: string
  /** Where the address is not base and path. */
  readonly url?: (call: Call<undefined>) => string
  readonly headers?: (call: Call<undefined>) => Record<string, string>
}

/** The model list of vendors that follow OpenAI. Source: platform.openai.com/docs/api-reference/models/list */
export function openaiCompatibleModelList(vendor: OpenaiCompatibleModelList = {}): ModelListExchange {
  const { path = '/v1/models', headers = bearerHeaders } = vendor
  const urlOf = vendor.url ?? (call => openaiUrl(call.channel.baseUrl, path))
  return {
    request: call => ({ method: 'GET', url: urlOf(call), headers: headers(call) }),
    reply(json) {
      if (!isObject(json) || !Array.isArray(json.data))
        return { kind: 'failure', failure: readHiddenFailure(json) }
      const names = listOf(json.data).map(model => textOf(objectOf(model).id) ?? '')
      return { kind: 'reply', reply: names.filter(name => name !== '') }
    },
  }
}
