import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { toReasoningModelBody } from '../../provider-kit/openai-compatible/chat.ts'

/** The API version of a channel that sets none. The console suggests the same one. */
export const API_VERSION_DEFAULT = '2023-06-01-preview'
/** The first version that supports `stream_options`. */
const FIRST_WITH_STREAM_OPTIONS = '2024-09-01-preview'

type AzureCall = Pick<AdapterCall<unknown>, 'channel'>

const readVersion = ({ channel }: AzureCall): string => channel.other || API_VERSION_DEFAULT

/** The undated API has OpenAI's own paths and names the deployment in the body. */
const isUndated = (version: string): boolean => !/^\d{4}-/.test(version)

/** Source: learn.microsoft.com/en-us/azure/ai-services/openai/reference */
export const azureUrl =
  (path: string) =>
  (call: Pick<AdapterCall<unknown>, 'channel' | 'model'>): string => {
    const version = readVersion(call)
    const { baseUrl } = call.channel
    if (isUndated(version)) return `${baseUrl}/openai/v1/${path}?api-version=${encodeURIComponent(version)}`
    const deployment = encodeURIComponent(toDeployment(call.model))
    return `${baseUrl}/openai/deployments/${deployment}/${path}?api-version=${encodeURIComponent(version)}`
  }

/** The realtime URL names the deployment in the query. */
export function azureRealtimeUrl(call: Pick<AdapterCall<unknown>, 'channel' | 'model'>): string {
  const version = readVersion(call)
  const { baseUrl } = call.channel
  if (isUndated(version)) return `${baseUrl}/openai/v1/realtime?model=${encodeURIComponent(call.model)}`
  const deployment = encodeURIComponent(toDeployment(call.model))
  return `${baseUrl}/openai/realtime?deployment=${deployment}&api-version=${encodeURIComponent(version)}`
}

export function azureModelsUrl(call: AzureCall): string {
  const version = readVersion(call)
  const path = isUndated(version) ? 'openai/v1/models' : 'openai/models'
  return `${call.channel.baseUrl}/${path}?api-version=${encodeURIComponent(version)}`
}

/** Both APIs name the deployment in the body here. */
export function azureResponsesUrl(call: AzureCall): string {
  const version = readVersion(call)
  const path = isUndated(version) ? 'openai/v1/responses' : 'openai/responses'
  return `${call.channel.baseUrl}/${path}?api-version=${encodeURIComponent(version)}`
}

export const azureHeaders = ({ channel }: AzureCall): Record<string, string> => ({
  'api-key': channel.key,
  'content-type': 'application/json',
})

/** Azure deployment names had no dots when these models were released. An effort suffix is not part of the name. */
function toDeployment(model: string): string {
  const { model: name } = toReasoningModelBody({ model })
  return String(name).replace(/^gpt-3\.5/, 'gpt-35')
}

/** OpenAI's body without fields that older API versions reject. */
export function toAzureBody(body: JsonObject, call: AdapterCall<unknown>): JsonObject {
  const { stream_options, ...rest } = toReasoningModelBody(body, call)
  const version = readVersion(call)
  const isKnown = isUndated(version) || version >= FIRST_WITH_STREAM_OPTIONS
  return isKnown && stream_options ? { ...rest, stream_options } : rest
}
