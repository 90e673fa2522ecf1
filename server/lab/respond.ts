import type { RequestCounter } from './counters.ts'
import { deliver, deliverySteps, halves } from './deliver.ts'
import type { FaultPlan } from './fault-plan.ts'
import type { LabRequest, LabVendor, OperationReply, ResponseFrame } from './operation.ts'

const GARBAGE = '\u0000\u0007}{ this is neither JSON nor an event \u{1F9E8}\n'
const PAGE = '<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body><h1>Bad Gateway</h1></body></html>'
const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream; charset=utf-8'
const ERROR_INSIDE_STATUS = 500

interface ResponseJob {
  readonly ask: LabRequest
  readonly faultPlan: FaultPlan
  readonly vendor: LabVendor
  readonly counter: RequestCounter
}

/** Gives the planned answer. */
export function respond(performance: ResponseJob): Response {
  const { ask, faultPlan } = performance
  if (faultPlan.ending?.kind === 'reset') return droppedResponse(performance)
  if (faultPlan.failure) return errorResponse(performance)
  const isStream = faultPlan.form === 'asked' ? ask.isStream : faultPlan.form === 'stream'
  const reply = ask.reply(faultPlan)
  const frames = isStream ? reply.frames?.() : undefined
  if (faultPlan.body !== 'right') return malformedResponse(performance, frames ? STREAM_TYPE : JSON_TYPE)
  if (frames) return streamResponse(performance, frames)
  const { contentType, text } = textOf(reply)
  return jsonResponse(
    { ...performance, faultPlan: { ...faultPlan, contentType: faultPlan.contentType ?? contentType } },
    text,
  )
}

/** A whole answer as it goes over the wire. */
export const textOf = (reply: OperationReply): { readonly contentType: string; readonly text: string } =>
  reply.content?.() ?? { contentType: JSON_TYPE, text: JSON.stringify(reply.json()) }

function jsonResponse(performance: ResponseJob, text: string): Response {
  const { faultPlan, counter } = performance
  const contentType = faultPlan.contentType ?? JSON_TYPE
  const isPlain = !faultPlan.ending && faultPlan.firstTokenAfterMs === 0 && faultPlan.dripBytes === 0
  if (isPlain) return sendNow(counter, text, { status: 200, contentType })
  const ending = faultPlan.ending && { ...faultPlan.ending, afterTokens: 0 }
  return deliveredResponse(performance, halves(text), { ...faultPlan, ending, contentType })
}

function streamResponse(performance: ResponseJob, frames: Iterable<ResponseFrame>): Response {
  const { faultPlan } = performance
  return deliveredResponse(performance, frames, {
    ...faultPlan,
    contentType: faultPlan.contentType ?? STREAM_TYPE,
  })
}

function deliveredResponse(
  { vendor, counter }: ResponseJob,
  frames: Iterable<ResponseFrame>,
  faultPlan: FaultPlan,
): Response {
  const errorFrame = vendor.errorFrame(vendor.error('status', { status: ERROR_INSIDE_STATUS }))
  const body = deliver(deliverySteps(frames, faultPlan, errorFrame), faultPlan.dripBytes, counter)
  return new Response(body, {
    headers: { 'content-type': faultPlan.contentType ?? STREAM_TYPE, 'cache-control': 'no-cache' },
  })
}

function errorResponse({ faultPlan, vendor, counter }: ResponseJob): Response {
  const { kind = 'status', status } = faultPlan.failure ?? {}
  const vendorError = vendor.error(kind, status ? { status } : {})
  const text = faultPlan.body === 'html' ? PAGE : JSON.stringify(vendorError.body)
  return sendNow(counter, text, {
    status: faultPlan.isFailureHidden ? 200 : vendorError.status,
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

interface Head {
  readonly status: number
  readonly contentType: string
  readonly retryAfterSeconds?: number | undefined
}

/** A body that leaves at once. */
export function sendNow(
  visit: RequestCounter,
  text: string,
  { status, contentType, retryAfterSeconds }: Head,
): Response {
  visit.sent(Buffer.byteLength(text))
  visit.end('finished')
  const headers: Record<string, string> = { 'content-type': contentType }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  return new Response(text, { status, headers })
}
