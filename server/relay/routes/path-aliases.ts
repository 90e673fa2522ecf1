/** The path under which the routes know a request, and the model where the original path names it. */
export interface CanonicalPath {
  readonly path: string
  readonly model?: string | undefined
}

interface PathAlias {
  /** With the optional groups `model` and `rest`. */
  readonly pattern: RegExp
  /** `rest` is appended to it. */
  readonly target: string
}

/** Vertex AI and its express mode, which has no project. Source: cloud.google.com/vertex-ai/docs/reference/rest */
const PROJECT = '^/v1(?:alpha|beta|beta1)?/(?:projects/[^/]+/locations/[^/]+/)?'

/** What the SDKs of clouds call the APIs that they share with the original provider. The first match wins. */
const ALIASES: readonly PathAlias[] = [
  // Azure. Source: learn.microsoft.com/azure/ai-foundry/openai/reference
  { pattern: /^\/openai\/v1(?<rest>\/.+)$/, target: '/v1' },
  { pattern: /^\/openai\/deployments\/(?<model>[^/]+)(?<rest>\/.+)$/, target: '/v1' },
  {
    pattern: /^\/openai(?<rest>\/(?:models|responses|realtime|images\/variations)(?:\/.*)?)$/,
    target: '/v1',
  },
  // Gemini's own OpenAI format. Source: ai.google.dev/gemini-api/docs/openai
  { pattern: /^\/v1(?:alpha|beta)\/openai(?<rest>\/.+)$/, target: '/v1' },
  { pattern: new RegExp(`${PROJECT}endpoints/openapi(?<rest>/.+)$`), target: '/v1' },
  { pattern: new RegExp(`${PROJECT}publishers/google(?<rest>/models(?:/.+)?)$`), target: '/v1beta' },
  {
    pattern: new RegExp(`${PROJECT}publishers/anthropic/models/count-tokens:rawPredict$`),
    target: '/v1/messages/count_tokens',
  },
  {
    pattern: new RegExp(`${PROJECT}publishers/anthropic/models/(?<model>[^/]+):(?:raw|streamRaw)Predict$`),
    target: '/v1/messages',
  },
  { pattern: /^\/v1(?:alpha|beta1)(?<rest>\/models(?:\/.+)?)$/, target: '/v1beta' },
]

/** A single test, so that other paths cost nothing. */
const MAY_BE_ALIAS = /^\/(openai|v1alpha|v1beta1|v1beta\/openai|v1(beta)?\/(projects|publishers))\//

/** Translates the paths of other clouds. Any other path stays as it is, without a trailing slash. */
export function toCanonicalPath(pathname: string): CanonicalPath {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  if (!MAY_BE_ALIAS.test(path)) return { path }
  for (const { pattern, target } of ALIASES) {
    const groups = pattern.exec(path)
    if (groups) return { path: target + (groups.groups?.rest ?? ''), model: groups.groups?.model }
  }
  return { path }
}
