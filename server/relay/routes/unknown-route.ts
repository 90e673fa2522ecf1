import { GatewayError } from '../../core/errors.ts'
import { toCanonicalPath } from './routes.ts'

/**
 * Calls of the providers' APIs that are not served here, as opposed to mistyped ones: first OpenAI's, then Anthropic's, then
 * Gemini's. The tests compare them with the calls of the three SDKs.
 */
const NOT_IMPLEMENTED: readonly RegExp[] = [
  /^\w+ \/v1\/(assistants|batches|chatkit|containers|content_provenance_checks|decisions|edits|evals|files|fine-tunes|fine_tuning|live|organization|skills|threads|uploads|vector_stores|videos|webhook_endpoints|webhook_event_types)(\/|$)/,
  /^\w+ \/v1\/(chat\/completions(\/.+)?|conversations(\/.+)?|responses\/.+|realtime\/.+|models\/[^/]+)$/,
  /^\w+ \/v1\/(agents|complete|compliance|deployment_runs|deployments|dreams|environments|memory_stores|messages\/batches|organizations|sessions|tunnels|user_profiles|vaults)(\/|$)/,
  /^\w+ (\/upload)?\/v1beta\/(auth_tokens|batches|cachedContents|corpora|dynamic|fileSearchStores|files|interactions|operations|tunedModels|tuningJobs|webhooks)(\/|:|$)/,
  /^\w+ \/v1beta\/models(\/[^/]+(\/operations\/.+|:\w+)?)?$/,
]
const CUSTOM_VOICES = /^\w+ \/v1\/audio\/(voices|voice_consents)(\/|$)/
const METHODS = /^(GET|POST|PUT|PATCH|DELETE) /

/** The error for a call without a route: one that a provider has, or one that nobody has. */
export function unknownRoute(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  pathname: string,
): GatewayError {
  const call = `${method} ${toCanonicalPath(pathname, headers).path}`
  if (CUSTOM_VOICES.test(call))
    return new GatewayError('api_not_implemented', {
      zh: '自定义音色属于上游账户，请在上游创建和删除，然后在语音请求的 voice 中填写其 ID；GET /v1/audio/voices 返回公共音色',
      en: 'custom voices belong to the account of their provider: create and delete them there, then send the ID as the voice of a speech request; GET /v1/audio/voices lists the public voices',
    })
  if (METHODS.test(call) && NOT_IMPLEMENTED.some(pattern => pattern.test(call)))
    return new GatewayError('api_not_implemented', {
      zh: `未实现 ${method} ${pathname}（api_not_implemented）；支持的接口见 /docs/reference/paths`,
      en: `${method} ${pathname} is not implemented (api_not_implemented); /docs/reference/paths lists what is`,
    })
  return new GatewayError('not_found', {
    zh: `没有接口 ${method} ${pathname}`,
    en: `there is no endpoint ${method} ${pathname}`,
  })
}
