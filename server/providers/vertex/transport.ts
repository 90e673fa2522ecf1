import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { readServiceAccount } from './service-account.ts'

const REGION_DEFAULT = 'us-central1'
const NO_REGION = 'global'

type Channelled = Pick<AdapterCall<unknown>, 'channel' | 'model' | 'credential'>

/** One region for all models, or JSON that names one by model and a `default`. */
export function regionOf(other: string, model: string): string {
  const json = parseJson(other)
  if (!isObject(json)) return other || REGION_DEFAULT
  return asString(json[model]) || asString(json.default) || REGION_DEFAULT
}

/** Source: cloud.google.com/vertex-ai/docs/reference/rest */
export function vertexUrl({ channel, model }: Channelled, version: 'v1' | 'v1beta1', path: string): string {
  const region = regionOf(channel.other, model)
  const host = region === NO_REGION ? 'aiplatform.googleapis.com' : `${region}-aiplatform.googleapis.com`
  const { project } = readServiceAccount(channel.key)
  return `${channel.baseUrl || `https://${host}`}/${version}/projects/${project}/locations/${region}/${path}`
}

export const vertexHeaders = ({ credential }: Channelled): Record<string, string> => ({
  authorization: `Bearer ${credential?.token ?? ''}`,
  'content-type': 'application/json',
})
