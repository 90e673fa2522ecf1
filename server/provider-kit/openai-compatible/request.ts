import { ownEntry } from '../../core/json/json.ts'
import {
  type AdapterCall,
  bearerHeaders,
  stringifyBody,
  type UpstreamRequest,
  versionedUrl,
} from '../contract/operation-adapter.ts'
import type { RevokedKeySigns } from '../failures.ts'
import type { JsonObject } from '../json.ts'
import { FormFile } from '../json.ts'

/** How a provider differs from one of OpenAI's endpoints. Absent options mean OpenAI's behaviour. */
export interface EndpointOptions<Body extends JsonObject> extends BodyAdjustments {
  /** Path below the base URL. */
  readonly path?: string
  /** Builds the URL where it is not base URL and path. */
  readonly url?: (call: AdapterCall<Body>) => string
  readonly headers?: (call: AdapterCall<Body>) => Record<string, string>
  /** The last adjustment of the body, for anything that the options above cannot express. */
  readonly adjust?: (body: JsonObject, call: AdapterCall<Body>) => JsonObject
  readonly revokedKey?: RevokedKeySigns
}

const CLOUDFLARE_GATEWAY = 'https://gateway.ai.cloudflare.com'

/** The URL of an OpenAI path such as `/v1/embeddings`. Cloudflare's gateway expects no version in it. */
export const openaiUrl = (baseUrl: string, path: string): string =>
  baseUrl.startsWith(CLOUDFLARE_GATEWAY)
    ? baseUrl + path.replace(/^\/v1(?=\/)/, '')
    : versionedUrl(baseUrl, path)

/** A JSON request to one of OpenAI's paths, with the provider's differences applied. */
export function jsonRequest<Body extends JsonObject>(
  call: AdapterCall<Body>,
  path: string,
  provider: EndpointOptions<Body>,
): UpstreamRequest {
  return { ...urlAndHeaders(call, path, provider), body: stringifyBody(adjustedBody(call, provider), call) }
}

/** A multipart form. A list of files repeats the field name; lists of texts append `[]` to it. */
export function formRequest<Body extends JsonObject>(
  call: AdapterCall<Body>,
  path: string,
  provider: EndpointOptions<Body>,
): UpstreamRequest {
  const { url, headers } = urlAndHeaders(call, path, provider)
  const { 'content-type': _, ...others } = headers
  const form = new FormData()
  for (const [name, value] of Object.entries(adjustedBody(call, provider))) addField(form, name, value)
  return { url, headers: others, body: form }
}

function urlAndHeaders<Body extends JsonObject>(
  call: AdapterCall<Body>,
  path: string,
  { path: own = path, url, headers }: EndpointOptions<Body>,
) {
  return {
    url: url?.(call) ?? openaiUrl(call.channel.baseUrl, own),
    headers: headers?.(call) ?? bearerHeaders(call),
  }
}

function adjustedBody<Body extends JsonObject>(
  call: AdapterCall<Body>,
  provider: EndpointOptions<Body>,
): JsonObject {
  const body = adjustBody({ ...call.body, model: call.model }, provider)
  return provider.adjust?.(body, call) ?? body
}

function addField(form: FormData, name: string, value: unknown): void {
  if (Array.isArray(value)) {
    const isOfTexts = value.length > 1 || !(value[0] instanceof FormFile)
    for (const item of value) addField(form, isOfTexts ? `${name}[]` : name, item)
  } else if (value instanceof FormFile)
    form.append(name, new Blob([value.bytes], { type: value.mediaType }), value.name)
  else if (value !== null && value !== undefined) form.append(name, String(value))
}

/** How a provider's request body differs from OpenAI's. Applied in this order. */
export interface BodyAdjustments {
  /** The fields that the provider supports, under our names, where it rejects all others. */
  readonly only?: readonly string[]
  /** Our names to theirs, e.g. `{ seed: 'random_seed' }`. A renamed field overrides an existing one of that name. */
  readonly rename?: Readonly<Record<string, string>>
  /** Fields that the provider rejects. */
  readonly drop?: readonly string[]
  /** Lower and upper bounds of number fields. Values outside are moved to the bound. */
  readonly clamp?: Readonly<Record<string, readonly [least: number, most: number]>>
}

/** Applies a provider's adjustments to a body. */
export function adjustBody(body: JsonObject, differences: BodyAdjustments): JsonObject {
  const { only, rename, drop, clamp } = differences
  return only || rename || drop || clamp ? applyAdjustments(body, differences) : body
}

function applyAdjustments(
  body: JsonObject,
  { only, rename = {}, drop = [], clamp = {} }: BodyAdjustments,
): JsonObject {
  const kept: Record<string, unknown> = {}
  const renamed: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(body)) {
    if (drop.includes(field) || (only && !only.includes(field))) continue
    const range = ownEntry(clamp, field)
    const isClamped = range !== undefined && typeof value === 'number'
    const clamped = isClamped ? Math.min(Math.max(value, range[0]), range[1]) : value
    const providerName = ownEntry(rename, field)
    if (providerName === undefined) kept[field] = clamped
    else if (value !== null) renamed[providerName] = clamped
  }
  return { ...kept, ...renamed }
}
