import type { AdapterCall } from './contract/operation-adapter.ts'

const CLOUDFLARE_GATEWAY = 'https://gateway.ai.cloudflare.com'

/** The URL of an OpenAI path such as `/v1/embeddings`. Cloudflare's gateway expects no version in it. */
export const openaiUrl = (baseUrl: string, path: string): string =>
  baseUrl.startsWith(CLOUDFLARE_GATEWAY)
    ? baseUrl + path.replace(/^\/v1(?=\/)/, '')
    : versionedUrl(baseUrl, path)

/** Headers for a JSON request with the key as a bearer token. */
export function bearerHeaders({ channel }: Pick<AdapterCall<unknown>, 'channel'>): Record<string, string> {
  const headers = { authorization: `Bearer ${channel.key}`, 'content-type': 'application/json' }
  return channel.organization ? { ...headers, 'openai-organization': channel.organization } : headers
}

const VERSION_PREFIX = /^(?:\/[a-z]+)*(\/v\d+)(?=\/)/

/**
 * Joins base URL and path. Where the base URL already ends in the version of the path (`/v1`, `/api/v3`), the path's
 * prefix up to that version is left out.
 */
export function versionedUrl(baseUrl: string, path: string): string {
  const [prefix = '', version] = VERSION_PREFIX.exec(path) ?? []
  return baseUrl + (version && baseUrl.endsWith(version) ? path.slice(prefix.length) : path)
}
