import { sleepMs } from '../core/clock.ts'
import { RELAY_BODY_BYTES_MAX } from '../core/limits.ts'
import { control } from './control.ts'
import { createCounters, type RequestCounter, together } from './counters.ts'
import { DEFAULT_FAULT_PLAN, type FailureKind, type FaultPlan } from './fault-plan.ts'
import { decodeSegment, type FoundOperation, findOperation } from './find-operation.ts'
import { createNamespaces, type LabNamespace } from './namespaces.ts'
import { openai } from './openai/vendor.ts'
import type { LabOperation, LabVendor, OperationReply } from './operation.ts'
import { isImagePath, isPagePath, labImage, page } from './page.ts'
import { respond, sendNow, textOf } from './respond.ts'
import { createResponseCache, type ResponseCache } from './response-cache.ts'
import { faultPlanOfPrompt, faultPlanOfRequest } from './scenario.ts'

const JSON_TYPE = 'application/json'
const PLAIN = { status: 200, contentType: JSON_TYPE }
const FAULT_SEGMENT = /\/fault\/([^/]+)\//
const NAMESPACE_SEGMENT = /\/lane\/([\w-]+)\//

/** An upstream that speaks the OpenAI, Anthropic and Gemini formats, draws and makes music, and fails as it is asked to. Works under any path prefix. */
export interface Lab {
  fetch(request: Request): Promise<Response>
}

export function createLab(): Lab {
  const counters = createCounters()
  const namespaces = createNamespaces()
  const repeated = createResponseCache()
  return {
    async fetch(request) {
      const url = new URL(request.url)
      const shown = request.method === 'GET' ? show(url) : undefined
      if (shown) return shown
      const controlled = control(request, url.pathname, { counters, namespaces })
      if (controlled) return controlled
      const namespaceName = NAMESPACE_SEGMENT.exec(url.pathname)?.[1]
      const namespace = namespaceName === undefined ? undefined : namespaces.find(namespaceName)
      const body = request.method === 'POST' ? await readBody(request) : ''
      const bytesIn = Buffer.byteLength(body)
      const counter = counters.enter(bytesIn)
      const incoming = {
        request,
        url,
        body,
        namespace,
        repeated,
        counter: namespace ? together([counter, namespace.counters.enter(bytesIn)]) : counter,
      }
      remember(incoming)
      return respondTo(incoming)
    },
  }
}

function show(url: URL): Response | undefined {
  if (isPagePath(url.pathname)) return page(url)
  return isImagePath(url.pathname) ? labImage() : undefined
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

interface IncomingRequest {
  readonly request: Request
  readonly url: URL
  readonly body: string
  readonly namespace: LabNamespace | undefined
  readonly repeated: ResponseCache
  readonly counter: RequestCounter
}

function remember({ request, url, body, namespace }: IncomingRequest): void {
  if (!namespace) return
  const headers = Object.fromEntries(request.headers)
  namespace.last = { method: request.method, path: url.pathname + url.search, headers, body }
}

async function respondTo(incoming: IncomingRequest): Promise<Response> {
  const { request, url, counter } = incoming
  const found = findOperation(request, url)
  if (!found)
    return respondError(counter, openai, 'no-model', `Invalid URL (${request.method} ${url.pathname})`)
  const { vendor } = found.operation
  const key = vendor.key(request)
  if (!key) return respondError(counter, vendor, 'missing-key')
  const scenario = faultPlanOfRequest(sourcesOf(incoming, key))
  if ('problem' in scenario) return respondError(counter, vendor, 'bad-request', scenario.problem)
  const headerProblem = vendor.headerProblem?.(request)
  if (headerProblem) return respondError(counter, vendor, 'bad-request', headerProblem)
  return respondToOperation(incoming, found, scenario.faultPlan)
}

function sourcesOf({ request, url, namespace }: IncomingRequest, key: string) {
  const segment = url.pathname.includes('/fault/') ? FAULT_SEGMENT.exec(url.pathname)?.[1] : undefined
  return {
    namespace: namespace?.scenario ?? '',
    path: decodeSegment(segment ?? ''),
    header: request.headers.get('x-lab') ?? '',
    key,
  }
}

async function respondToOperation(
  incoming: IncomingRequest,
  found: FoundOperation,
  early: FaultPlan,
): Promise<Response> {
  const { request, url, body, repeated, counter } = incoming
  const { operation, target } = found
  const address = url.pathname + url.search
  const known =
    early === DEFAULT_FAULT_PLAN && body && !operation.isLive ? repeated.find(address, body) : undefined
  if (known !== undefined) return sendNow(counter, known, PLAIN)
  const json = operation.method === 'POST' ? parseJson(body) : undefined
  const read = operation.read(json, target)
  if (!read.success) {
    const issue = read.error.issues[0]
    return respondError(
      counter,
      operation.vendor,
      'bad-request',
      `${issue?.path.join('.')}: ${issue?.message}`,
    )
  }
  const ask = read.data
  const scenario = faultPlanOfPrompt(early, ask)
  if ('problem' in scenario) return respondError(counter, operation.vendor, 'no-model', scenario.problem)
  const { faultPlan } = scenario
  if (faultPlan === DEFAULT_FAULT_PLAN && !ask.isStream)
    return respondAtOnce(incoming, operation, ask.reply(faultPlan))
  if (faultPlan.headersAfterMs > 0 && !(await waited(faultPlan.headersAfterMs, request.signal))) {
    counter.end('aborted')
    return new Response(null, { status: 499 })
  }
  return respond({ ask, faultPlan, vendor: operation.vendor, counter })
}

/** JSON that comes out the same every time is kept for the next who asks. */
function respondAtOnce(
  { url, body, repeated, counter }: IncomingRequest,
  { isLive }: LabOperation,
  reply: OperationReply,
): Response {
  const { contentType, text } = textOf(reply)
  if (!isLive && contentType === JSON_TYPE) repeated.keep(url.pathname + url.search, body, text)
  return sendNow(counter, text, { status: 200, contentType })
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

function respondError(
  counter: RequestCounter,
  vendor: LabVendor,
  kind: FailureKind,
  message?: string,
): Response {
  const { status, body } = vendor.error(kind, message === undefined ? {} : { message })
  return sendNow(counter, JSON.stringify(body), { status, contentType: JSON_TYPE })
}

/** The lab as one handler of requests, for mounting under a path or serving alone. Its counters are those of the process. */
export const labFetch: (request: Request) => Promise<Response> = createLab().fetch

export interface ServedLab {
  /** Without a trailing slash. */
  readonly url: string
  stop(): Promise<void>
}

/** Serves a lab of its own. Port 0 takes a free one. */
export function serveLab({
  port,
  host = '127.0.0.1',
}: {
  readonly port: number
  readonly host?: string
}): ServedLab {
  const server = Bun.serve({
    port,
    hostname: host,
    idleTimeout: 0,
    maxRequestBodySize: RELAY_BODY_BYTES_MAX,
    fetch: createLab().fetch,
  })
  return { url: server.url.origin, stop: () => server.stop(true) }
}
