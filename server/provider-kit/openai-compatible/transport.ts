import type { Call } from '../exchange.ts'
import { versionedUrl } from '../versioned-url.ts'

const CLOUDFLARE_GATEWAY = 'https://gateway.ai.cloudflare.com'

/** The address of an OpenAI path such as `/v1/embeddings`. Cloudflare's gateway wants no version in it. */
export const openaiUrl = (baseUrl: string, path: string): string =>
  baseUrl.startsWith(CLOUDFLARE_GATEWAY)
    ? baseUrl + path.replace(/^\/v1(?=\/)/, '')
    : versionedUrl(baseUrl, path)

/** The key as a bearer token. */
export function bearerHeaders({ channel }: Pick<Call<unknown>, 'channel'>): Record<string, string> {
  const headers = { authorization: `Bearer ${channel.key}`, 'content-type': 'application/json' }
  return channel.organization ? { ...headers, 'openai-organization': channel.organization } : headers
}
