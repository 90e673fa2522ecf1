import { sleepMs } from '../core/clock.ts'
import { control } from './control.ts'
import { openCounters, together, type Visit } from './counters.ts'
import { decodeSegment } from './decode-segment.ts'
import { type FoundOperation, findOperation } from './find-operation.ts'
import { type Lane, openLanes } from './lanes.ts'
import { openai } from './openai/vendor.ts'
import type { Operation, Reply, Vendor } from './operation.ts'
import { isPagePath, page } from './page.ts'
import { isPicturePath, picture } from './picture.ts'
import { type FailureKind, type Plan, USUAL_PLAN } from './plan.ts'
import { planOfAsk, planOfRequest } from './plan-of.ts'
import { openRepeatedAnswers, type RepeatedAnswers } from './repeated-answers.ts'
import { respond, sent, textOf } from './respond.ts'

const JSON_TYPE = 'application/json'
const PLAIN = { status: 200, contentType: JSON_TYPE }
const FAULT_SEGMENT = /\/fault\/([^/]+)\//
const LANE_SEGMENT = /\/lane\/([\w-]+)\//

/** An upstream that speaks the OpenAI, Anthropic and Gemini formats, draws and makes music, and fails as it is asked to. Works under any path prefix. */
export interface Lab {
  fetch(request: Request): Promise<Response>
}

export function openLab(): Lab {
  const counters = openCounters()
  const lanes = openLanes()
  const repeated = openRepeatedAnswers()
  return {
    async fetch(request) {
      const url = new URL(request.url)
      const shown = request.method === 'GET' ? show(url) : undefined
      if (shown) return shown
      const controlled = control(request, url.pathname, { counters, lanes })
      if (controlled) return controlled
      const laneName = LANE_SEGMENT.exec(url.pathname)?.[1]
      const lane = laneName === undefined ? undefined : lanes.find(laneName)
      const body = request.method === 'POST' ? await readBody(request) : ''
      const bytesIn = Buffer.byteLength(body)
      const visit = counters.enter(bytesIn)
      const arrival = {
        request,
        url,
        body,
        lane,
        repeated,
        visit: lane ? together([visit, lane.counters.enter(bytesIn)]) : visit,
      }
      remember(arrival)
      return answer(arrival)
    },
  }
}

function show(url: URL): Response | undefined {
  if (isPagePath(url.pathname)) return page(url)
  return isPicturePath(url.pathname) ? picture() : undefined
}

/** As text; of a form as JSON, in which each file is its name and size. */
async function readBody(request: Request): Promise<string> {
  if (!request.headers.get('content-type')?.startsWith('multipart/form-data')) return request.text()
  const form = await request.formData()
  const fields = [...form].map(([name, value]) => [
    name.replace(/\[\]$/, ''),
    typeof value === 'string' ? value : { name: value.name, bytes: value.size },
  ])
  return JSON.stringify(Object.fromEntries(fields))
}

interface Arrival {
  readonly request: Request
  readonly url: URL
  readonly body: string
  readonly lane: Lane | undefined
  readonly repeated: RepeatedAnswers
  readonly visit: Visit
}

function remember({ request, url, body, lane }: Arrival): void {
  if (!lane) return
  const headers = Object.fromEntries(request.headers)
  lane.last = { method: request.method, path: url.pathname + url.search, headers, body }
}

async function answer(arrival: Arrival): Promise<Response> {
  const { request, url, visit } = arrival
  const found = findOperation(request, url)
  if (!found) return refuse(visit, openai, 'no-model', `Invalid URL (${request.method} ${url.pathname})`)
  const { vendor } = found.operation
  const key = vendor.key(request)
  if (!key) return refuse(visit, vendor, 'missing-key')
  const reading = planOfRequest(sourcesOf(arrival, key))
  if ('problem' in reading) return refuse(visit, vendor, 'bad-request', reading.problem)
  const headerProblem = vendor.headerProblem?.(request)
  if (headerProblem) return refuse(visit, vendor, 'bad-request', headerProblem)
  return answerOperation(arrival, found, reading.plan)
}

function sourcesOf({ request, url, lane }: Arrival, key: string) {
  const segment = url.pathname.includes('/fault/') ? FAULT_SEGMENT.exec(url.pathname)?.[1] : undefined
  return {
    lane: lane?.script ?? '',
    path: decodeSegment(segment ?? ''),
    header: request.headers.get('x-lab') ?? '',
    key,
  }
}

async function answerOperation(arrival: Arrival, found: FoundOperation, early: Plan): Promise<Response> {
  const { request, url, body, repeated, visit } = arrival
  const { operation, target } = found
  const address = url.pathname + url.search
  const known = early === USUAL_PLAN && body && !operation.isLive ? repeated.find(address, body) : undefined
  if (known !== undefined) return sent(visit, known, PLAIN)
  const json = operation.method === 'POST' ? parseJson(body) : undefined
  const read = operation.read(json, target)
  if (!read.success) {
    const issue = read.error.issues[0]
    return refuse(visit, operation.vendor, 'bad-request', `${issue?.path.join('.')}: ${issue?.message}`)
  }
  const ask = read.data
  const reading = planOfAsk(early, ask)
  if ('problem' in reading) return refuse(visit, operation.vendor, 'no-model', reading.problem)
  const { plan } = reading
  if (plan === USUAL_PLAN && !ask.isStream) return answerAtOnce(arrival, operation, ask.reply(plan))
  if (plan.headersAfterMs > 0 && !(await waited(plan.headersAfterMs, request.signal))) {
    visit.end('aborted')
    return new Response(null, { status: 499 })
  }
  return respond({ ask, plan, vendor: operation.vendor, visit })
}

/** JSON that comes out the same every time is kept for the next who asks. */
function answerAtOnce(
  { url, body, repeated, visit }: Arrival,
  { isLive }: Operation,
  reply: Reply,
): Response {
  const { contentType, text } = textOf(reply)
  if (!isLive && contentType === JSON_TYPE) repeated.keep(url.pathname + url.search, body, text)
  return sent(visit, text, { status: 200, contentType })
}

/** Undefined for what is not JSON: the schemas refuse it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** False when the client left first. */
function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  const gone = new Promise<boolean>(resolve => {
    if (signal.aborted) resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
  return Number.isFinite(ms) ? Promise.race([gone, sleepMs(ms).then(() => true)]) : gone
}

function refuse(visit: Visit, vendor: Vendor, kind: FailureKind, message?: string): Response {
  const { status, body } = vendor.refuse(kind, message === undefined ? {} : { message })
  return sent(visit, JSON.stringify(body), { status, contentType: JSON_TYPE })
}
