import { callChat, isWholeStream, openChat, requestIdOf } from '../../harness/call-chat.ts'
import { quietLane, readLane } from '../../harness/lab-lane.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { dead } from './dead.ts'
import { MODEL } from './ground.ts'
import type { Scene, Stage, Verdict } from './scene.ts'

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

interface Asking {
  readonly ask: (stage: Stage) => Ask
  /** Charges beyond those of served answers, of a lone client: 1 when who was at the place is charged. */
  readonly charged: 0 | 1 | 'unsure'
  readonly countMax?: number
}

const whole = (script = ''): Ask => ({ content: `hello ${script && `[lab: ${script}]`}`, isStream: false })
const streamed = (script: string): Ask => ({ content: `hello [lab: ${script}]`, isStream: true })

/** What is asked, by name. */
export const ASKS = {
  anything: ({ random }: Stage) => random.pick([whole(), streamed('tokens-6'), streamed('pace-2+tokens-5')]),
  whole: () => whole(),
  stream: ({ random }: Stage) => streamed(`pace-${random.whole(1, 4)}+tokens-6`),
  /** Longer than its hold covers. */
  long: ({ random }: Stage) => streamed(`pace-1+tokens-${random.whole(20, 60)}`),
  slow: () => streamed('pace-60+tokens-60'),
  refused: ({ random }: Stage) => ({ ...whole('context-length'), isStream: random.pick([true, false]) }),
  left: () => ({ ...streamed(`pace-5+tokens-${LEAVE_TOKENS}`), isLeft: true }),
} as const

/** Clients that ask again and again, one or several, until the gateway dies. */
export const asking = ({ ask, charged, countMax = 6 }: Asking): Scene => ({
  countMax,
  async act(stage) {
    const { random, gateway, ground } = stage
    const clients = random.pick([1, 1, 2, 4, 8, 16])
    const lane = await readLane(ground.lab, ground.lane)
    const ends: { readonly id: string; readonly end: End }[] = []
    const watch = watchOf(stage)
    const client = async (): Promise<void> => {
      for (let asks = 0; asks < ASKS_MAX; asks += 1) {
        const { id, end } = await askOnce(stage, ask(stage), watch)
        ends.push({ id, end })
        if (end === 'cut off') return
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    await dead(gateway.ended, stage)
    const asked = (await quietLane(ground.lab, ground.lane)).requests - lane.requests
    return verdictOn({ ends, asked, charged: clients === 1 ? charged : 'unsure' })
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
  const ask = () => callChat({ url: gateway.url, key, body: bodyOf(whole('hang')) }).catch(() => undefined)
  const asked = Array.from({ length: count }, ask)
  await waitUntil({ what: `${count} calls at the upstream`, timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    return (await readLane(lab, lane)).inFlight >= count
  })
  await gateway.kill()
  await Promise.all(asked)
  await quietLane(lab, lane)
}

/** Kills from outside where the place is the client's. */
function watchOf({ place, count, gateway }: Stage) {
  let left = count
  return async (at: 'head' | 'bytes' | 'end'): Promise<void> => {
    if (place.door !== 'client' || place.at !== at) return
    left -= 1
    if (left === 0) await gateway.kill()
  }
}

async function askOnce({ gateway, ground }: Stage, asked: Ask, watch: ReturnType<typeof watchOf>) {
  const leaving = new AbortController()
  let id = ''
  try {
    const { url } = gateway
    const answer = await openChat({ url, key: ground.key, body: bodyOf(asked), signal: leaving.signal })
    id = requestIdOf(answer)
    await watch('head')
    const text = await readAnswer(answer, async () => {
      await watch('bytes')
      if (asked.isLeft) leaving.abort()
    })
    const end = endOf({ status: answer.status, requestId: id, text }, asked)
    if (end === 'served') await watch('end')
    return { id, end }
  } catch {
    return { id, end: asked.isLeft && leaving.signal.aborted ? 'left' : 'cut off' } as const
  }
}

async function readAnswer({ body }: Response, onFirst: () => Promise<void>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body ?? []) {
    if (text === '') await onFirst()
    text += decoder.decode(bytes, { stream: true })
  }
  return text
}

function endOf(answer: Parameters<typeof isWholeStream>[0], { isStream }: Ask): End {
  if (answer.status !== 200) return 'refused'
  const isFinished = isStream ? isWholeStream(answer) : answer.text.endsWith('}')
  return isFinished ? 'served' : 'cut off'
}

const bodyOf = ({ content, isStream }: Ask) => ({
  model: MODEL,
  stream: isStream,
  messages: [{ role: 'user', content }],
})

interface Asked {
  readonly ends: readonly { readonly id: string; readonly end: End }[]
  /** Calls that the upstream saw. */
  readonly asked: number
  readonly charged: Asking['charged']
}

/** Served means charged once, refused means not charged; any other may be, as far as the upstream was asked. */
function verdictOn({ ends, asked, charged }: Asked): Verdict {
  const idsOf = (wanted: End) => ends.filter(({ end }) => end === wanted).map(({ id }) => id)
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
      ...(after.charged.length > asked
        ? [`${after.charged.length} charges for ${asked} calls of the upstream`]
        : []),
      ...(charged !== 'unsure' && extra !== charged
        ? [`${extra} charges beyond those served, not ${charged}`]
        : []),
      ...(extra > unsure ? [`${extra} charges beyond those served, of ${unsure} that were cut off`] : []),
    ]
  }
}
