import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { callChat, isCompleteStream, openChat, requestIdOf } from '../../harness/call-chat.ts'
import { readNamespace, waitUntilIdle } from '../../harness/lab-namespace.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { MODEL, TURN_MODEL } from './crash-environment.ts'
import { assertKilled, type Scenario, type ScenarioContext, type Verification } from './scenario.ts'

/** A trigger that has not occurred after this many requests never occurs. */
const REQUESTS_MAX = 200
const ARRIVAL_TIMEOUT_MS = 60_000
const ABORTED_STREAM_TOKENS = 200

type RequestOutcome = 'served' | 'rejected' | 'aborted' | 'cut off'

interface CrashRequest {
  readonly content: string
  readonly isStream: boolean
  /** The client disconnects after the first bytes. */
  readonly isAborted?: boolean
  /** Sent as a turn over a WebSocket. */
  readonly isTurn?: boolean
}

interface RequestScenario {
  readonly createRequest: (context: ScenarioContext) => CrashRequest
  /** With a single client, charges beyond those of served responses: 1 if the interrupted request is charged. */
  readonly extraCharges: 0 | 1 | 'unsure'
  readonly countMax?: number
}

const json = (scenario = ''): CrashRequest => ({
  content: `hello ${scenario && `[lab: ${scenario}]`}`,
  isStream: false,
})
const streamed = (scenario: string): CrashRequest => ({ content: `hello [lab: ${scenario}]`, isStream: true })

/** Kinds of requests that the clients send. */
export const REQUESTS = {
  anything: ({ random }: ScenarioContext) =>
    random.pick([json(), streamed('tokens-6'), streamed('pace-2+tokens-5')]),
  json: () => json(),
  stream: ({ random }: ScenarioContext) => streamed(`pace-${random.integer(1, 4)}+tokens-6`),
  /** Longer than the first hold covers, so the hold is extended. */
  long: ({ random }: ScenarioContext) => streamed(`pace-1+tokens-${random.integer(20, 60)}`),
  slow: () => streamed('pace-60+tokens-60'),
  turn: ({ random }: ScenarioContext) => ({
    ...streamed(`pace-${random.integer(1, 4)}+tokens-6`),
    isTurn: true,
  }),
  rejected: ({ random }: ScenarioContext) => ({
    ...json('context-length'),
    isStream: random.pick([true, false]),
  }),
  aborted: () => ({ ...streamed(`pace-5+tokens-${ABORTED_STREAM_TOKENS}`), isAborted: true }),
} as const

/** One or several clients send requests until the gateway is killed. */
export const requestScenario = ({
  createRequest,
  extraCharges,
  countMax = 6,
}: RequestScenario): Scenario => ({
  countMax,
  async run(context) {
    const { random, gateway, environment } = context
    const clients = random.pick([1, 1, 2, 4, 8, 16])
    const before = await readNamespace(environment.lab, environment.namespace)
    const results: RequestResult[] = []
    const killAt = createClientTrigger(context)
    const client = async (): Promise<void> => {
      for (let sent = 0; sent < REQUESTS_MAX; sent += 1) {
        const request = createRequest(context)
        const result = await (request.isTurn ? takeTurn : sendOnce)(context, request, killAt)
        results.push(result)
        if (result.outcome === 'cut off') return
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    await assertKilled(gateway.ended, context)
    const after = await waitUntilIdle(environment.lab, environment.namespace)
    return verifyRequests({
      results,
      upstreamCalls: after.requests - before.requests,
      extraCharges: clients === 1 ? extraCharges : 'unsure',
    })
  },
})

/** The gateway is killed while many requests wait for the upstream. */
export const hangingScenario: Scenario = {
  countMax: 12,
  async run(context) {
    await killWithOpenHolds(context)
    return async (_, { chargedRequestIds }) =>
      chargedRequestIds.length === 0 ? [] : [`${chargedRequestIds.length} unanswered requests were charged`]
  },
}

/** Kills a gateway with open holds for `count` requests that the upstream received and does not answer. */
export async function killWithOpenHolds({
  environment: { lab, namespace, keys },
  gateway,
  count,
  random,
}: ScenarioContext): Promise<void> {
  const send = () =>
    callChat({ url: gateway.url, key: random.pick(keys), body: createBody(json('hang')) }).catch(
      () => undefined,
    )
  const responses = Array.from({ length: count }, send)
  await waitUntil(
    { description: `${count} calls at the upstream`, timeoutMs: ARRIVAL_TIMEOUT_MS },
    async () => {
      return (await readNamespace(lab, namespace)).inFlight >= count
    },
  )
  await gateway.kill()
  await Promise.all(responses)
  await waitUntilIdle(lab, namespace)
}

/** Returns a function that kills the gateway from outside when a client trigger occurs. */
function createClientTrigger({ trigger, count, gateway }: ScenarioContext) {
  let remaining = count
  return async (at: 'head' | 'bytes' | 'end'): Promise<void> => {
    if (trigger.kind !== 'client' || trigger.at !== at) return
    remaining -= 1
    if (remaining === 0) await gateway.kill()
  }
}

interface RequestResult {
  readonly id: string
  readonly outcome: RequestOutcome
}

async function sendOnce(
  { gateway, environment, random }: ScenarioContext,
  request: CrashRequest,
  killAt: ReturnType<typeof createClientTrigger>,
): Promise<RequestResult> {
  const disconnect = new AbortController()
  let id = ''
  try {
    const { url } = gateway
    const response = await openChat({
      url,
      key: random.pick(environment.keys),
      body: createBody(request),
      signal: disconnect.signal,
    })
    id = requestIdOf(response)
    await killAt('head')
    const text = await readResponse(response, async () => {
      await killAt('bytes')
      if (request.isAborted) disconnect.abort()
    })
    const outcome = outcomeOf({ status: response.status, requestId: id, text }, request)
    if (outcome === 'served') await killAt('end')
    return { id, outcome }
  } catch {
    return { id, outcome: request.isAborted && disconnect.signal.aborted ? 'aborted' : 'cut off' }
  }
}

/** A turn on a socket of its own. The response names its request. */
async function takeTurn(
  { gateway, environment, random }: ScenarioContext,
  { content }: CrashRequest,
  killAt: ReturnType<typeof createClientTrigger>,
): Promise<RequestResult> {
  let id = ''
  let isComplete = false
  const client = new OpenAI({ apiKey: `sk-${random.pick(environment.keys)}`, baseURL: `${gateway.url}/v1` })
  const socket = new ResponsesWS(client)
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  socket.on('error', () => end())
  socket.on('close', () => end())
  socket.on('response.created', ({ response }) => {
    id = response.id.replace('resp_', '')
    void killAt('bytes')
  })
  socket.on('response.completed', () => {
    isComplete = true
    socket.close()
  })
  socket.send({ type: 'response.create', model: TURN_MODEL, input: content })
  await over
  return { id, outcome: isComplete ? 'served' : 'cut off' }
}

async function readResponse({ body }: Response, onFirst: () => Promise<void>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body ?? []) {
    if (text === '') await onFirst()
    text += decoder.decode(bytes, { stream: true })
  }
  return text
}

function outcomeOf(
  response: Parameters<typeof isCompleteStream>[0],
  { isStream }: CrashRequest,
): RequestOutcome {
  if (response.status !== 200) return 'rejected'
  const isFinished = isStream ? isCompleteStream(response) : response.text.endsWith('}')
  return isFinished ? 'served' : 'cut off'
}

const createBody = ({ content, isStream }: CrashRequest) => ({
  model: MODEL,
  stream: isStream,
  messages: [{ role: 'user', content }],
})

interface RequestResults {
  readonly results: readonly RequestResult[]
  readonly upstreamCalls: number
  readonly extraCharges: RequestScenario['extraCharges']
}

/**
 * A served request is charged exactly once and a rejected one never. An interrupted request may be charged, at most once
 * and only if the upstream was called.
 */
function verifyRequests({ results, upstreamCalls, extraCharges }: RequestResults): Verification {
  const idsWith = (requested: RequestOutcome) =>
    results.filter(({ outcome }) => outcome === requested).map(({ id }) => id)
  return async (_, { chargedRequestIds }) => {
    const chargesById = new Map<string, number>()
    for (const id of chargedRequestIds) chargesById.set(id, (chargesById.get(id) ?? 0) + 1)
    const chargesOf = (id: string) => chargesById.get(id) ?? 0
    const extra = chargedRequestIds.length - idsWith('served').length
    const interrupted = idsWith('aborted').length + idsWith('cut off').length
    return [
      ...idsWith('served')
        .filter(id => chargesOf(id) !== 1)
        .map(id => `${id} was served and charged ${chargesOf(id)} times`),
      ...[...chargesById]
        .filter(([, count]) => count > 1)
        .map(([id, count]) => `${id} was charged ${count} times`),
      ...idsWith('rejected')
        .filter(id => chargesById.has(id))
        .map(id => `${id} was rejected and charged`),
      ...(chargedRequestIds.length > upstreamCalls
        ? [`${chargedRequestIds.length} charges for ${upstreamCalls} upstream calls`]
        : []),
      ...(extraCharges !== 'unsure' && extra !== extraCharges
        ? [`${extra} charges beyond those of served requests, expected ${extraCharges}`]
        : []),
      ...(extra > interrupted
        ? [`${extra} charges beyond those of served requests, but only ${interrupted} were interrupted`]
        : []),
    ]
  }
}
