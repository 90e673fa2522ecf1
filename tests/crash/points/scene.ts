import type { Random } from '../../harness/random.ts'
import type { RunningGateway } from '../../harness/start-gateway.ts'
import type { Ground, LedgerState } from './ground.ts'
import type { Place } from './place.ts'

/** What a scene has to work with. */
export interface Stage {
  readonly ground: Ground
  /** Will die at the place, or, where the place is the client's, is to be killed there. */
  readonly gateway: RunningGateway
  readonly place: Place
  /** The so many-eth arrival at the place is the last. */
  readonly count: number
  readonly random: Random
}

/** What can be said after the next start: what is wrong, in words; empty when nothing is. */
export type Judgement = (gateway: RunningGateway, after: LedgerState) => Promise<readonly string[]>

/** Brings a gateway to its place of death. Resolves when it is dead. */
export interface Scene {
  /** The gateway is started without the order to die: the scene starts the one that dies. */
  readonly startsItself?: boolean
  /** The verdict does the same once more, and so wants a gateway that does not die of it. */
  readonly isRepeated?: boolean
  /** Arrivals at the place that one scene can bring about. */
  readonly countMax: number
  act(stage: Stage): Promise<Judgement>
}
