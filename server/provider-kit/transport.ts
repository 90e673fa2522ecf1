import type { AdapterCall } from './contract/operation-adapter.ts'

const CLOUDFLARE_GATEWAY = 'https://gateway.ai.cloudflare.com'

/** The address of an OpenAI path such as `/v1/embeddings`. Cloudflare's gateway wants no version in it. */
export const openaiUrl = (baseUrl: string, path: string): string =>
  baseUrl.startsWith(CLOUDFLARE_GATEWAY)
    ? baseUrl + path.replace(/^\/v1(?=\/)/, '')
    : versionedUrl(baseUrl, path)

/** The key as a bearer token. */
export function bearerHeaders({ channel }: Pick<AdapterCall<unknown>, 'channel'>): Record<string, string> {
  const headers = { authorization: `Bearer ${channel.key}`, 'content-type': 'application/json' }
  return channel.organization ? { ...headers, 'openai-organization': channel.organization } : headers
}

const VERSION_PREFIX = /^(?:\/[a-z]+)*(\/v\d+)(?=\/)/

/** Base and path, without the path's beginning up to its version (`/v1`, `/api/v3`) where the operator's base address already ends in that version. */
export function versionedUrl(baseUrl: string, path: string): string {
  const [prefix = '', version] = VERSION_PREFIX.exec(path) ?? []
  return baseUrl + (version && baseUrl.endsWith(version) ? path.slice(prefix.length) : path)
}
