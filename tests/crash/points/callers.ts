import { callChat, isCompleteStream, openChat, requestIdOf } from '../../harness/call-chat.ts'
import { quietLane, readLane } from '../../harness/lab-lane.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { assertKilled } from './assert-killed.ts'
import { MODEL } from './ground.ts'
import type { Judgement, Scene, Stage } from './scene.ts'

/** Far more than any place needs: a place that is not reached by then is never reached. */
const ASKS_MAX = 200
const ARRIVAL_TIMEOUT_MS = 60_000
const LEAVE_TOKENS = 200

type End = 'served' | 'refused' | 'left' | 'cut off'

interface Ask {
  readonly content: string
  readonly isStream: boolean
  /** The client leaves after the first bytes. */
  readonly isLeft?: boolean
}

interface Caller {
  readonly ask: (stage: Stage) => Ask
  /** Charges beyond those of served answers, of a lone client: 1 when who was at the place is charged. */
  readonly charged: 0 | 1 | 'unsure'
  readonly countMax?: number
}

const json = (script = ''): Ask => ({ content: `hello ${script && `[lab: ${script}]`}`, isStream: false })
const streamed = (script: string): Ask => ({ content: `hello [lab: ${script}]`, isStream: true })

/** What is asked, by name. */
export const ASKS = {
  anything: ({ random }: Stage) => random.pick([json(), streamed('tokens-6'), streamed('pace-2+tokens-5')]),
  json: () => json(),
  stream: ({ random }: Stage) => streamed(`pace-${random.json(1, 4)}+tokens-6`),
  /** Longer than its hold covers. */
  long: ({ random }: Stage) => streamed(`pace-1+tokens-${random.json(20, 60)}`),
  slow: () => streamed('pace-60+tokens-60'),
  rejected: ({ random }: Stage) => ({ ...json('context-length'), isStream: random.pick([true, false]) }),
  left: () => ({ ...streamed(`pace-5+tokens-${LEAVE_TOKENS}`), isLeft: true }),
} as const

/** Clients that ask again and again, one or several, until the gateway dies. */
export const calling = ({ ask, charged, countMax = 6 }: Caller): Scene => ({
  countMax,
  async act(stage) {
    const { random, gateway, ground } = stage
    const clients = random.pick([1, 1, 2, 4, 8, 16])
    const lane = await readLane(ground.lab, ground.lane)
    const ends: { readonly id: string; readonly end: End }[] = []
    const observer = observerOf(stage)
    const client = async (): Promise<void> => {
      for (let asks = 0; asks < ASKS_MAX; asks += 1) {
        const { id, end } = await askOnce(stage, ask(stage), observer)
        ends.push({ id, end })
        if (end === 'cut off') return
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    await assertKilled(gateway.ended, stage)
    const requested = (await quietLane(ground.lab, ground.lane)).requests - lane.requests
    return judge({ ends, requested, charged: clients === 1 ? charged : 'unsure' })
  },
})

/** Many requests wait for the upstream when the gateway is killed. */
export const waiting: Scene = {
  countMax: 12,
  async act(stage) {
    await killWaiting(stage)
    return async (_, { charged }) =>
      charged.length === 0 ? [] : [`${charged.length} unanswered were charged`]
  },
}

/** Kills a gateway that holds money for `count` requests which the upstream has and does not answer. */
export async function killWaiting({ ground: { lab, lane, key }, gateway, count }: Stage): Promise<void> {
  const ask = () => callChat({ url: gateway.url, key, body: bodyOf(json('hang')) }).catch(() => undefined)
  const requested = Array.from({ length: count }, ask)
  await waitUntil({ what: `${count} calls at the upstream`, timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    return (await readLane(lab, lane)).inFlight >= count
  })
  await gateway.kill()
  await Promise.all(requested)
  await quietLane(lab, lane)
}

/** Kills from outside where the place is the client's. */
function observerOf({ place, count, gateway }: Stage) {
  let left = count
  return async (at: 'head' | 'bytes' | 'end'): Promise<void> => {
    if (place.clientConnection !== 'client' || place.at !== at) return
    left -= 1
    if (left === 0) await gateway.kill()
  }
}

async function askOnce({ gateway, ground }: Stage, requested: Ask, observer: ReturnType<typeof observerOf>) {
  const leaving = new AbortController()
  let id = ''
  try {
    const { url } = gateway
    const response = await openChat({ url, key: ground.key, body: bodyOf(requested), signal: leaving.signal })
    id = requestIdOf(response)
    await observer('head')
    const text = await readResponse(response, async () => {
      await observer('bytes')
      if (requested.isLeft) leaving.abort()
    })
    const end = endOf({ status: response.status, requestId: id, text }, requested)
    if (end === 'served') await observer('end')
    return { id, end }
  } catch {
    return { id, end: requested.isLeft && leaving.signal.aborted ? 'left' : 'cut off' } as const
  }
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

function endOf(response: Parameters<typeof isCompleteStream>[0], { isStream }: Ask): End {
  if (response.status !== 200) return 'refused'
  const isFinished = isStream ? isCompleteStream(response) : response.text.endsWith('}')
  return isFinished ? 'served' : 'cut off'
}

const bodyOf = ({ content, isStream }: Ask) => ({
  model: MODEL,
  stream: isStream,
  messages: [{ role: 'user', content }],
})

interface RequestOptions {
  readonly ends: readonly { readonly id: string; readonly end: End }[]
  /** Calls that the upstream saw. */
  readonly requested: number
  readonly charged: Caller['charged']
}

/** Served means charged once, refused means not charged; any other may be, as far as the upstream was asked. */
function judge({ ends, requested, charged }: RequestOptions): Judgement {
  const idsOf = (requested: End) => ends.filter(({ end }) => end === requested).map(({ id }) => id)
  return async (_, after) => {
    const times = new Map<string, number>()
    for (const id of after.charged) times.set(id, (times.get(id) ?? 0) + 1)
    const timesOf = (id: string) => times.get(id) ?? 0
    const extra = after.charged.length - idsOf('served').length
    const unsure = idsOf('left').length + idsOf('cut off').length
    return [
      ...idsOf('served')
        .filter(id => timesOf(id) !== 1)
        .map(id => `${id} was served and charged ${timesOf(id)} times`),
      ...[...times].filter(([, count]) => count > 1).map(([id, count]) => `${id} was charged ${count} times`),
      ...idsOf('refused')
        .filter(id => times.has(id))
        .map(id => `${id} was refused and charged`),
      ...(after.charged.length > requested
        ? [`${after.charged.length} charges for ${requested} calls of the upstream`]
        : []),
      ...(charged !== 'unsure' && extra !== charged
        ? [`${extra} charges beyond those served, not ${charged}`]
        : []),
      ...(extra > unsure ? [`${extra} charges beyond those served, of ${unsure} that were cut off`] : []),
    ]
  }
}
