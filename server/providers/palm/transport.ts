import type { AdapterCall, UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'

/** Models by the names that the lineage offers them under. */
const NAME_OF: Readonly<Record<string, string>> = { 'PaLM-2': 'chat-bison-001' }

/** Source: the archived reference of v1beta2, developers.generativeai.google/api/rest */
export function toPalmRequest(
  { channel, model }: AdapterCall<unknown>,
  method: string,
  body: object,
): UpstreamRequest {
  const name = encodeURIComponent(NAME_OF[model] ?? model)
  return {
    url: `${channel.baseUrl}/v1beta2/models/${name}:${method}`,
    headers: { 'x-goog-api-key': channel.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}
