import { startProgram } from '../../harness/program.ts'
import { assertKilled } from './assert-killed.ts'
import { killWaiting } from './callers.ts'
import { dying } from './ground.ts'
import type { Place, StorePlace } from './place.ts'
import type { Scene } from './scene.ts'

const HELD_MAX = 12

/** A gateway dies with money held for many, and the next one dies while it gives that back. */
export const recovering: Scene = {
  startsItself: true,
  countMax: 1,
  async act(stage) {
    const { ground, place, random } = stage
    await killWaiting({ ...stage, count: random.json(1, HELD_MAX) })
    const death = dying({ place: storePlace(place), count: 1, isFromStart: true })
    const environment = { ...death.environment, DATA_DIR: ground.dataDir, PORT: '0', LOG_LEVEL: 'error' }
    await assertKilled(startProgram(['serve'], environment, death).ended, stage)
    return async (_, { charged }) =>
      charged.length === 0 ? [] : [`${charged.length} that were given back were charged`]
  },
}

export function storePlace(place: Place): StorePlace {
  if (place.clientConnection !== 'store')
    throw new Error(`expected a place in the store, found ${JSON.stringify(place)}`)
  return place
}
