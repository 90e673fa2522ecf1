import { jsonTextResponse } from '../../core/json/json.ts'
import { MIB } from '../../core/limits.ts'
import { completionTokens } from '../../core/usage.ts'
import type { SafeFetch } from '../../http-client/safe-fetch.ts'
import { RawResponseBody } from '../../provider-kit/contract/client-dialect.ts'
import { asObject, asString, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'
import { checkUsage, type UsageBound, usageToCharge } from '../billing/usage-to-charge.ts'
import type { Recording } from '../hooks.ts'
import type { ClientPresence } from '../request/client-presence.ts'
import { signatureHandles } from '../routing/account-handles.ts'
import type { FetchImage, Outcome, RelayRequest } from '../types.ts'
import type { JsonUpstreamResponse } from '../upstream/call-channel.ts'
import type { RespondingChannel } from '../upstream/prepare-call.ts'
import type { ProviderHeaders } from '../upstream/read-stream.ts'
import { type ReplacedModel, withReplacedModel } from './transcode.ts'

const IMAGE_BYTES_MAX = 32 * MIB
const IMAGE_TIMEOUT_MS = 60_000
const STATUS_OK = 200

interface JsonResponseParts {
  readonly request: RelayRequest
  readonly responder: RespondingChannel
  readonly response: JsonUpstreamResponse
  readonly client: Pick<ClientPresence, 'hasLeft'>
  readonly bound: UsageBound
  /** Set when the response is to be stored. */
  readonly recording: Recording | undefined
  readonly replaced: ReplacedModel | undefined
}

/** Charges the response, then returns it. `close` makes the charge durable. */
export async function jsonResponse(
  { request, responder, response, client, bound, recording, replaced }: JsonResponseParts,
  safeFetch: SafeFetch,
  close: (outcome: Outcome) => Promise<void>,
): Promise<Response> {
  const { operation, dialect } = request
  const charge = toCharge(request, response, bound)
  // Without output there is nothing that a client could have left.
  const hasLeft = client.hasLeft && charge.provenance !== 'free'
  const handles = response.handles ?? signatureHandles(request, operation.signatures?.(response.reply) ?? [])
  const ending = hasLeft ? 'client-left' : 'complete'
  const servedModel = asString(asObject(response.reply).model) ?? response.servedModel
  await close({ ending, ...charge, servedModel, handles, firstOutputMs: undefined })
  const { headers } = response
  if (response.text !== undefined) {
    await recording?.complete(asObject(parseJson(response.text)))
    return toResponse(withReplacedModel(response.text, replaced), headers)
  }
  const isTagged = responder.channel.view.setting.thinking_to_content === true
  const reply = isTagged && operation.withThinkTags ? operation.withThinkTags(response.reply) : response.reply
  const completed =
    operation.completeReply && !client.hasLeft
      ? await operation.completeReply(reply, request.body, imageFetcher(safeFetch))
      : reply
  const body = dialect.writeReply(withoutModel(completed, replaced), charge.usage, request)
  if (recording && !(body instanceof RawResponseBody)) await recording.complete(body)
  return toResponse(body, headers)
}

/** The dialect writes the requested one in its place. */
const withoutModel = (reply: unknown, replaced: ReplacedModel | undefined): unknown =>
  replaced && isObject(reply) ? { ...reply, model: undefined } : reply

function toCharge(
  { operation, body, inputTokens, inputAudioTokens }: RelayRequest,
  response: JsonUpstreamResponse,
  bound: UsageBound,
) {
  const reported = checkUsage(response.usage, bound, () => operation.outputTokens(response.reply))
  const usage = operation.readUsage?.(response.reply, body, reported.usage) ?? reported.usage
  const charge = usageToCharge({
    usage,
    isComplete: true,
    hasOutput: operation.hasOutput(response.reply),
    inputTokens,
    inputAudioTokens,
    outputTokens: usage && completionTokens(usage) > 0 ? 0 : operation.outputTokens(response.reply),
  })
  return reported.rejectedUsage ? { ...charge, rejectedUsage: reported.rejectedUsage } : charge
}

const imageFetcher =
  (safeFetch: SafeFetch): FetchImage =>
  async url => {
    const fetched = await safeFetch({ url, bytesMax: IMAGE_BYTES_MAX, timeoutMs: IMAGE_TIMEOUT_MS })
    return fetched.kind === 'failure' || fetched.status !== STATUS_OK ? undefined : fetched.bytes
  }

function toResponse(
  body: string | JsonObject | RawResponseBody,
  providerHeaders?: ProviderHeaders,
): Response {
  if (body instanceof RawResponseBody)
    return new Response(body.body, { headers: { ...providerHeaders, 'content-type': body.contentType } })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return jsonTextResponse(text, providerHeaders)
}
