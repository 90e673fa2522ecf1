import type { JsonObject } from '../chat.ts'
import type { Call, UpstreamRequest } from '../exchange.ts'
import { SentFile } from '../sent-file.ts'
import { adjustBody, type BodyDifferences } from './adjust-body.ts'
import type { DeadKeySigns } from './dead-key-signs.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'

/** What a vendor does differently from one of OpenAI's addresses. What is left out is as OpenAI does it. */
export interface EndpointDifferences<Body extends JsonObject> extends BodyDifferences {
  /** Under the base address. */
  readonly path?: string
  /** Where the address is not base and path. */
  readonly url?: (call: Call<Body>) => string
  readonly headers?: (call: Call<Body>) => Record<string, string>
  /** The last word on the body, for what data cannot say. */
  readonly adjust?: (body: JsonObject, call: Call<Body>) => JsonObject
  readonly deadKey?: DeadKeySigns
}

export function jsonRequest<Body extends JsonObject>(
  call: Call<Body>,
  path: string,
  vendor: EndpointDifferences<Body>,
): UpstreamRequest {
  return { ...addressed(call, path, vendor), body: JSON.stringify(adjusted(call, vendor)) }
}

/** As a form. A list of files has the field's name once for each; lists of texts have `[]` behind it. */
export function formRequest<Body extends JsonObject>(
  call: Call<Body>,
  path: string,
  vendor: EndpointDifferences<Body>,
): UpstreamRequest {
  const { url, headers } = addressed(call, path, vendor)
  const { 'content-type': _, ...others } = headers
  const form = new FormData()
  for (const [name, value] of Object.entries(adjusted(call, vendor))) addField(form, name, value)
  return { url, headers: others, body: form }
}

function addressed<Body extends JsonObject>(
  call: Call<Body>,
  path: string,
  { path: own = path, url, headers }: EndpointDifferences<Body>,
) {
  return {
    url: url?.(call) ?? openaiUrl(call.channel.baseUrl, own),
    headers: headers?.(call) ?? bearerHeaders(call),
  }
}

function adjusted<Body extends JsonObject>(call: Call<Body>, vendor: EndpointDifferences<Body>): JsonObject {
  const body = adjustBody({ ...call.body, model: call.model }, vendor)
  return vendor.adjust?.(body, call) ?? body
}

function addField(form: FormData, name: string, value: unknown): void {
  if (Array.isArray(value)) {
    const isOfTexts = value.length > 1 || !(value[0] instanceof SentFile)
    for (const item of value) addField(form, isOfTexts ? `${name}[]` : name, item)
  } else if (value instanceof SentFile)
    form.append(name, new Blob([value.bytes], { type: value.mediaType }), value.name)
  else if (value !== null && value !== undefined) form.append(name, String(value))
}
