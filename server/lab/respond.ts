import type { Visit } from './counters.ts'
import { deliver } from './deliver.ts'
import type { Ask, Frame, Reply, Vendor } from './operation.ts'
import type { Plan } from './plan.ts'
import { halves, script } from './script.ts'

const GARBAGE = '\u0000\u0007}{ this is neither JSON nor an event \u{1F9E8}\n'
const PAGE = '<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body><h1>Bad Gateway</h1></body></html>'
const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream; charset=utf-8'
const ERROR_INSIDE_STATUS = 500

interface Performance {
  readonly ask: Ask
  readonly plan: Plan
  readonly vendor: Vendor
  readonly visit: Visit
}

/** Gives the planned answer. */
export function respond(performance: Performance): Response {
  const { ask, plan } = performance
  if (plan.ending?.kind === 'reset') return dropped(performance)
  if (plan.failure) return refused(performance)
  const isStream = plan.form === 'asked' ? ask.isStream : plan.form === 'stream'
  const reply = ask.reply(plan)
  const frames = isStream ? reply.frames?.() : undefined
  if (plan.body !== 'right') return nonsense(performance, frames ? STREAM_TYPE : JSON_TYPE)
  if (frames) return streamed(performance, frames)
  const { contentType, text } = textOf(reply)
  return whole({ ...performance, plan: { ...plan, contentType: plan.contentType ?? contentType } }, text)
}

/** A whole answer as it goes over the wire. */
export const textOf = (reply: Reply): { readonly contentType: string; readonly text: string } =>
  reply.written?.() ?? { contentType: JSON_TYPE, text: JSON.stringify(reply.whole()) }

function whole(performance: Performance, text: string): Response {
  const { plan, visit } = performance
  const contentType = plan.contentType ?? JSON_TYPE
  const isPlain = !plan.ending && plan.firstTokenAfterMs === 0 && plan.dripBytes === 0
  if (isPlain) return sent(visit, text, { status: 200, contentType })
  const ending = plan.ending && { ...plan.ending, afterTokens: 0 }
  return acted(performance, halves(text), { ...plan, ending, contentType })
}

function streamed(performance: Performance, frames: Iterable<Frame>): Response {
  const { plan } = performance
  return acted(performance, frames, { ...plan, contentType: plan.contentType ?? STREAM_TYPE })
}

function acted({ vendor, visit }: Performance, frames: Iterable<Frame>, plan: Plan): Response {
  const errorFrame = vendor.errorFrame(vendor.refuse('status', { status: ERROR_INSIDE_STATUS }))
  const body = deliver(script(frames, plan, errorFrame), plan.dripBytes, visit)
  return new Response(body, {
    headers: { 'content-type': plan.contentType ?? STREAM_TYPE, 'cache-control': 'no-cache' },
  })
}

function refused({ plan, vendor, visit }: Performance): Response {
  const { kind = 'status', status } = plan.failure ?? {}
  const refusal = vendor.refuse(kind, status ? { status } : {})
  const text = plan.body === 'html' ? PAGE : JSON.stringify(refusal.body)
  return sent(visit, text, {
    status: plan.isFailureHidden ? 200 : refusal.status,
    contentType: plan.contentType ?? JSON_TYPE,
    retryAfterSeconds: plan.retryAfterSeconds,
  })
}

const nonsense = ({ plan, visit }: Performance, contentType: string): Response =>
  sent(visit, plan.body === 'garbage' ? GARBAGE : '', {
    status: 200,
    contentType: plan.contentType ?? contentType,
  })

function dropped({ visit }: Performance): Response {
  return new Response(deliver([{ type: 'drop' }], 0, visit))
}

interface Head {
  readonly status: number
  readonly contentType: string
  readonly retryAfterSeconds?: number | undefined
}

/** A body that leaves at once. */
export function sent(visit: Visit, text: string, { status, contentType, retryAfterSeconds }: Head): Response {
  visit.sent(Buffer.byteLength(text))
  visit.end('finished')
  const headers: Record<string, string> = { 'content-type': contentType }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  return new Response(text, { status, headers })
}
