import type { RequestCounter } from './counters.ts'
import { deliver, deliverySteps, splitBody } from './deliver.ts'
import type { FaultPlan } from './fault-plan.ts'
import type { LabProvider, LabRequest, OperationReply, ResponseFrame } from './operation.ts'

const GARBAGE = '\u0000\u0007}{ this is neither JSON nor an event \u{1F9E8}\n'
const HTML_PAGE =
  '<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body><h1>Bad Gateway</h1></body></html>'
const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream; charset=utf-8'
const STREAM_ERROR_STATUS = 500

interface ResponseJob {
  readonly labRequest: LabRequest
  readonly faultPlan: FaultPlan
  readonly provider: LabProvider
  readonly counter: RequestCounter
}

/** Responds as the fault plan says. */
export function respondAsPlanned(job: ResponseJob): Response {
  const { labRequest, faultPlan } = job
  if (faultPlan.ending?.kind === 'reset') return droppedResponse(job)
  if (faultPlan.failure) return errorResponse(job)
  const isStream = faultPlan.form === 'requested' ? labRequest.isStream : faultPlan.form === 'stream'
  const reply = labRequest.reply(faultPlan)
  const frames = isStream ? reply.frames?.() : undefined
  if (faultPlan.body !== 'valid') return malformedResponse(job, frames ? STREAM_TYPE : JSON_TYPE)
  if (frames) return deliveredResponse(job, frames, faultPlan)
  const { contentType, text } = serializeReply(reply)
  return bufferedResponse(job, text, faultPlan.contentType ?? contentType)
}

/** Serializes a reply that is not streamed. */
export const serializeReply = (
  reply: OperationReply,
): { readonly contentType: string; readonly text: string } =>
  reply.content?.() ?? { contentType: JSON_TYPE, text: JSON.stringify(reply.json()) }

function bufferedResponse(job: ResponseJob, text: string, contentType: string): Response {
  const { faultPlan, counter } = job
  const isPlain = !faultPlan.ending && faultPlan.firstTokenAfterMs === 0 && faultPlan.bytesPerWrite === 0
  if (isPlain) return sendNow(counter, text, { status: 200, contentType })
  const ending = faultPlan.ending && { ...faultPlan.ending, afterTokens: 0 }
  return deliveredResponse(job, splitBody(text), { ...faultPlan, ending, contentType })
}

function deliveredResponse(
  { provider, counter }: ResponseJob,
  frames: Iterable<ResponseFrame>,
  faultPlan: FaultPlan,
): Response {
  const errorFrame = provider.errorFrame(provider.error('status', { status: STREAM_ERROR_STATUS }))
  const body = deliver(deliverySteps(frames, faultPlan, errorFrame), faultPlan.bytesPerWrite, counter)
  return new Response(body, {
    headers: { 'content-type': faultPlan.contentType ?? STREAM_TYPE, 'cache-control': 'no-cache' },
  })
}

function errorResponse({ faultPlan, provider, counter }: ResponseJob): Response {
  const { kind = 'status', status } = faultPlan.failure ?? {}
  const providerError = provider.error(kind, status ? { status } : {})
  const text = faultPlan.body === 'html' ? HTML_PAGE : JSON.stringify(providerError.body)
  return sendNow(counter, text, {
    status: faultPlan.isFailureHidden ? 200 : providerError.status,
    contentType: faultPlan.contentType ?? JSON_TYPE,
    retryAfterSeconds: faultPlan.retryAfterSeconds,
  })
}

const malformedResponse = ({ faultPlan, counter }: ResponseJob, contentType: string): Response =>
  sendNow(counter, faultPlan.body === 'garbage' ? GARBAGE : '', {
    status: 200,
    contentType: faultPlan.contentType ?? contentType,
  })

function droppedResponse({ counter }: ResponseJob): Response {
  return new Response(deliver([{ type: 'drop' }], 0, counter))
}

interface LabResponseHead {
  readonly status: number
  readonly contentType: string
  readonly retryAfterSeconds?: number | undefined
}

/** Sends a complete body at once and counts the request as finished. */
export function sendNow(
  counter: RequestCounter,
  text: string,
  { status, contentType, retryAfterSeconds }: LabResponseHead,
): Response {
  counter.addBytesOut(Buffer.byteLength(text))
  counter.end('finished')
  const headers: Record<string, string> = { 'content-type': contentType }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  return new Response(text, { status, headers })
}
