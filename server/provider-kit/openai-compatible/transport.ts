import type { Call } from '../exchange.ts'

const CLOUDFLARE_GATEWAY = 'https://gateway.ai.cloudflare.com'

/**
 * The address of an OpenAI path such as `/v1/embeddings`. The version is left out where the base address already
 * ends in it, and behind Cloudflare's gateway, which wants none.
 */
export function openaiUrl(baseUrl: string, path: string): string {
  const hasVersion = baseUrl.endsWith('/v1') || baseUrl.startsWith(CLOUDFLARE_GATEWAY)
  return baseUrl + (hasVersion ? path.replace(/^\/v1(?=\/)/, '') : path)
}

export function bearerHeaders({ channel }: Pick<Call<unknown>, 'channel'>): Record<string, string> {
  const organization = channel.organization ? { 'openai-organization': channel.organization } : undefined
  return { authorization: `Bearer ${channel.key}`, 'content-type': 'application/json', ...organization }
}
