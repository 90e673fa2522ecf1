import { sleepMs } from '../core/clock.ts'
import { RELAY_BODY_BYTES_MAX } from '../core/limits.ts'
import { control } from './control.ts'
import { combineCounters, createCounters, type RequestCounter } from './counters.ts'
import { DEFAULT_FAULT_PLAN, type FailureKind, type FaultPlan } from './fault-plan.ts'
import { decodeSegment, type FoundOperation, findOperation } from './find-operation.ts'
import { createNamespaces, type LabNamespace } from './namespaces.ts'
import { openai } from './openai/provider.ts'
import type { LabOperation, LabProvider, LabRequest, OperationReply, RequestProblem } from './operation.ts'
import { isImagePath, isPagePath, labImage, page } from './page.ts'
import { applyPlaybook, type Playbooks } from './playbooks.ts'
import { respondAsPlanned, sendNow, serializeReply } from './respond.ts'
import { createResponseCache, type ResponseCache } from './response-cache.ts'
import {
  readPromptScenario,
  readRequestScenario,
  type ScenarioResult,
  type ScenarioSources,
} from './scenario.ts'

const JSON_TYPE = 'application/json'
const FAULT_SEGMENT = /\/fault\/([^/]+)\//
const NAMESPACE_SEGMENT = /\/lane\/([\w-]+)\//

/**
 * A fake upstream for development and tests. It speaks the OpenAI, Anthropic and Gemini formats, runs drawing and music
 * tasks, and fails on request. It works under any path prefix.
 */
export interface Lab {
  fetch(request: Request): Promise<Response>
}

/** The lab as a request handler, to be mounted under a path. All callers share its counters and namespaces. */
export const labFetch: (request: Request) => Promise<Response> = createLab().fetch

export interface ServedLab {
  /** Without a trailing slash. */
  readonly url: string
  stop(): Promise<void>
}

/** Serves a new lab on a port of its own. Port 0 takes a free one. */
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

export function createLab(): Lab {
  const counters = createCounters()
  const namespaces = createNamespaces()
  const responseCache = createResponseCache()
  const playbooks: Playbooks = new Map()
  return {
    async fetch(request) {
      const url = new URL(request.url)
      const staticResponse = request.method === 'GET' ? serveStatic(url) : undefined
      if (staticResponse) return staticResponse
      const controlResponse = control(request, url.pathname, { counters, namespaces, playbooks })
      if (controlResponse) return controlResponse
      const namespaceName = NAMESPACE_SEGMENT.exec(url.pathname)?.[1]
      const namespace = namespaceName === undefined ? undefined : namespaces.find(namespaceName)
      const body = request.method === 'POST' ? await readBody(request) : ''
      const bytesIn = Buffer.byteLength(body)
      const counter = counters.startRequest(bytesIn)
      const incoming = {
        request,
        url,
        body,
        namespace,
        responseCache,
        playbooks,
        counter: namespace ? combineCounters([counter, namespace.counters.startRequest(bytesIn)]) : counter,
      }
      recordRequest(incoming)
      return respondTo(incoming)
    },
  }
}

function serveStatic(url: URL): Response | undefined {
  if (isPagePath(url.pathname)) return page(url)
  return isImagePath(url.pathname) ? labImage() : undefined
}

/** Returns the body as text. A form becomes JSON in which each file is its name and size. */
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
  readonly responseCache: ResponseCache
  readonly playbooks: Playbooks
  readonly counter: RequestCounter
}

function recordRequest({ request, url, body, namespace }: IncomingRequest): void {
  if (!namespace) return
  const headers = Object.fromEntries(request.headers)
  namespace.last = { method: request.method, path: url.pathname + url.search, headers, body }
}

async function respondTo(incoming: IncomingRequest): Promise<Response> {
  const { request, url, counter } = incoming
  const found = findOperation(request, url)
  if (!found)
    return respondProblem(counter, openai, {
      status: 404,
      message: `Invalid URL (${request.method} ${url.pathname})`,
    })
  const { provider } = found.operation
  const key = provider.key(request)
  if (!key) return respondError(counter, provider, 'missing-key')
  const scenario = readRequestScenario(scenarioSources(incoming, key))
  if ('problem' in scenario) return respondError(counter, provider, 'bad-request', scenario.problem)
  const headerProblem = provider.headerProblem?.(request)
  if (headerProblem) return respondError(counter, provider, 'bad-request', headerProblem)
  const target = { ...found.target, account: key }
  return respondToOperation(incoming, { ...found, target }, scenario.faultPlan)
}

function scenarioSources({ request, url, namespace }: IncomingRequest, key: string): ScenarioSources {
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
  { operation, target }: FoundOperation,
  requestFaultPlan: FaultPlan,
): Promise<Response> {
  const { request, body, counter } = incoming
  const cached = requestFaultPlan === DEFAULT_FAULT_PLAN ? findCachedResponse(incoming, operation) : undefined
  if (cached !== undefined) return sendNow(counter, cached, { status: 200, contentType: JSON_TYPE })
  const json = operation.method === 'POST' ? parseJson(body) : undefined
  const parsed = operation.read(json, target)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const message = `${issue?.path.join('.')}: ${issue?.message}`
    return respondError(counter, operation.provider, 'bad-request', message)
  }
  const labRequest = parsed.data
  const scenario = readBodyScenario(incoming, requestFaultPlan, labRequest)
  if ('problem' in scenario) return respondError(counter, operation.provider, 'no-model', scenario.problem)
  const { faultPlan } = scenario
  const problem = faultPlan.isLenient ? undefined : labRequest.findProblem?.()
  if (problem) return respondProblem(counter, operation.provider, problem)
  if (faultPlan === DEFAULT_FAULT_PLAN && !labRequest.isStream)
    return respondWithoutFaults(incoming, operation, labRequest.reply(faultPlan))
  const { headersAfterMs } = faultPlan
  if (headersAfterMs > 0 && !(await waitUnlessAborted(headersAfterMs, request.signal))) {
    counter.end('aborted')
    return new Response(null, { status: 499 })
  }
  return respondAsPlanned({ labRequest, faultPlan, provider: operation.provider, counter })
}

function readBodyScenario(
  { playbooks }: IncomingRequest,
  requestFaultPlan: FaultPlan,
  labRequest: LabRequest,
): ScenarioResult {
  const result = readPromptScenario(requestFaultPlan, labRequest)
  if ('problem' in result || !labRequest.playbook) return result
  return applyPlaybook(result.faultPlan, playbooks, labRequest.playbook)
}

const findCachedResponse = (
  { url, body, responseCache }: IncomingRequest,
  { isLive }: LabOperation,
): string | undefined => (body && !isLive ? responseCache.get(url.pathname + url.search, body) : undefined)

/** Also caches the response, unless it changes with time. */
function respondWithoutFaults(
  { url, body, responseCache, counter }: IncomingRequest,
  { isLive }: LabOperation,
  reply: OperationReply,
): Response {
  const { contentType, text } = serializeReply(reply)
  if (!isLive && contentType === JSON_TYPE) responseCache.set(url.pathname + url.search, body, text)
  return sendNow(counter, text, { status: 200, contentType })
}

/** Returns undefined for invalid JSON, which the schemas reject. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Waits for `ms`, which may be infinite. Returns false when the client disconnects first. */
function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  const aborted = new Promise<boolean>(resolve => {
    if (signal.aborted) resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
  return Number.isFinite(ms) ? Promise.race([aborted, sleepMs(ms).then(() => true)]) : aborted
}

function respondProblem(counter: RequestCounter, provider: LabProvider, problem: RequestProblem): Response {
  const { status, body } = provider.error(problem.status ? 'status' : 'bad-request', problem)
  return sendNow(counter, JSON.stringify(body), { status, contentType: JSON_TYPE })
}

function respondError(
  counter: RequestCounter,
  provider: LabProvider,
  kind: FailureKind,
  message?: string,
): Response {
  const { status, body } = provider.error(kind, message === undefined ? {} : { message })
  return sendNow(counter, JSON.stringify(body), { status, contentType: JSON_TYPE })
}
