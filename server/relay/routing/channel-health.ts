import { elapsedMs } from '../../core/clock.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { ChannelLoad } from './channel-limits.ts'
import { Circuit, type Pass } from './circuit-breaker.ts'
import type { RoutedChannel } from './routed-channel.ts'
import { type CallKind, Silence, type UnheardCall } from './stall-detector.ts'

/** Why a channel is passed over at the moment. */
export type Obstacle =
  | 'circuit open'
  | 'keys resting'
  | 'silent'
  | 'not heard yet'
  | 'concurrency limit'
  | 'rate limit'

/** How a call to a channel went, as far as its health goes. `no verdict`: the client left first. */
export type CallEnd = 'good' | 'bad' | 'no verdict'

/** A call to a channel that is under way, from the decision for it to the end of its answer. */
export interface Visit {
  /** The vendor is asked from now on, and its silence counts where the kind is given. Without this nothing was asked. */
  ask(kind?: CallKind, nowMs?: number): void
  /** The vendor said something, whatever it was. */
  hear(): void
  /** Its answer has begun. How it ends is still to be told. */
  answer(): void
  /** A second call does nothing. */
  end(how: CallEnd): void
}

const SECOND_MS = 1000
const DEAD_KEY_REST_MS = 600 * SECOND_MS
/** After a 429 that does not say how long. */
const SPENT_KEY_REST_MS = 5 * SECOND_MS
const REST_MS_MAX = 600 * SECOND_MS

interface Known {
  readonly circuit: Circuit
  readonly load: ChannelLoad
  readonly silence: Silence
  readonly resting: Map<string, Rest>
}

/** Of a key. */
interface Rest {
  readonly untilMs: number
  /** It will not work again; otherwise it has had enough for a while. */
  readonly isRefused: boolean
}

class OpenVisit implements Visit {
  private readonly known: Known
  private readonly pass: Pass
  private readonly minute: number | undefined
  private unheard: UnheardCall | undefined
  private wasAsked = false
  private isOver = false

  constructor(known: Known, pass: Pass, minute: number | undefined) {
    this.known = known
    this.pass = pass
    this.minute = minute
  }

  ask(kind?: CallKind, nowMs = elapsedMs()): void {
    this.wasAsked = true
    if (kind) this.unheard = this.known.silence.begin(kind, nowMs)
  }

  hear(): void {
    if (this.unheard) this.known.silence.hear(this.unheard, elapsedMs())
    this.unheard = undefined
  }

  answer(): void {
    this.known.circuit.makeRoom(this.pass)
  }

  end(how: CallEnd): void {
    if (this.isOver) return
    this.isOver = true
    const { circuit, load, silence } = this.known
    if (this.unheard) silence.leave(this.unheard, elapsedMs())
    load.end()
    if (!this.wasAsked) load.giveBack(this.minute)
    if (how === 'good') circuit.succeed(this.pass)
    else if (how === 'bad') circuit.fail(this.pass, elapsedMs())
    else circuit.makeRoom(this.pass)
  }
}

/** What this process has learnt about the channels from their answers. Kept in memory: it is out of date in minutes. */
export class ChannelHealth {
  private readonly known = new Map<number, Known>()
  private readonly processes: () => number

  /** `processes`: how many share the limits of a channel; each keeps its share. */
  constructor(processes: () => number = () => 1) {
    this.processes = processes
  }

  /** Undefined: it may be asked now. A limit is a must, any other obstacle a reason to ask others first. */
  obstacle(channel: RoutedChannel): Obstacle | undefined {
    const known = this.known.get(channel.id)
    if (!known) return undefined
    const limit = known.load.obstacle(channel.limits, this.processes())
    if (limit) return limit
    const nowMs = elapsedMs()
    if (known.circuit.state(nowMs) === 'open') return 'circuit open'
    if (this.wakingKeys(channel).length === 0) return 'keys resting'
    return known.silence.obstacle(nowMs)
  }

  /** The keys that do not rest. */
  wakingKeys({ id, views }: RoutedChannel): RoutedChannel['views'] {
    const resting = this.known.get(id)?.resting
    if (!resting || resting.size === 0) return views
    const nowMs = elapsedMs()
    return views.filter(({ key }) => (resting.get(key)?.untilMs ?? 0) <= nowMs)
  }

  /** Counts a call from now until its end. Gives the limit when there is no room for it. */
  visit(channel: RoutedChannel): Visit | Obstacle {
    const known = this.knownOf(channel.id)
    const limit = known.load.obstacle(channel.limits, this.processes())
    if (limit) return limit
    const minute = known.load.begin(channel.limits)
    return new OpenVisit(known, known.circuit.begin(elapsedMs()), minute)
  }

  /** Lets a key rest that was refused, or has had enough for a while. */
  learn({ id, view }: RoutedChannel, failure: Failure): void {
    const restMs = restOf(failure)
    if (restMs <= 0) return
    const rest = { untilMs: elapsedMs() + restMs, isRefused: failure.isKeyDead === true }
    this.knownOf(id).resting.set(view.key, rest)
  }

  /** The key was found to work. */
  wake({ id, view }: Pick<RoutedChannel, 'id' | 'view'>): void {
    this.known.get(id)?.resting.delete(view.key)
  }

  /** Whether a key that was not refused stands beside the one just used. It may rest: it has had enough for a while. */
  hasOtherKey({ id, view, views }: RoutedChannel): boolean {
    if (views.length === 1) return false
    const resting = this.known.get(id)?.resting
    const nowMs = elapsedMs()
    const isRefused = (rest: Rest | undefined) => rest?.isRefused === true && rest.untilMs > nowMs
    return views.some(({ key }) => key !== view.key && !isRefused(resting?.get(key)))
  }

  private knownOf(channelId: number): Known {
    const known = this.known.get(channelId)
    if (known) return known
    const made: Known = {
      circuit: new Circuit(),
      load: new ChannelLoad(),
      silence: new Silence(),
      resting: new Map(),
    }
    this.known.set(channelId, made)
    return made
  }
}

function restOf({ isKeyDead, status, retryAfterSeconds }: Failure): number {
  if (isKeyDead) return DEAD_KEY_REST_MS
  if (status !== 429) return 0
  return Math.min(
    retryAfterSeconds === undefined ? SPENT_KEY_REST_MS : retryAfterSeconds * SECOND_MS,
    REST_MS_MAX,
  )
}
