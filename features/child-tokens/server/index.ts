import { everyMs } from '#server/core/clock.ts'
import { throttledLog } from '#server/core/logger.ts'
import { defineFeature } from '#server/feature.ts'
import { childTokens } from '../migrations/0077-child-tokens.ts'
import { createChildFinder } from './find-child.ts'
import { endChildren } from './lifecycle.ts'
import { createChildPaths } from './paths.ts'

/** Responses in progress of a child end within a second after it. */
const END_MS = 2_000

export const feature = defineFeature({
  migrations: [childTokens],
  start(services) {
    const { db, log } = services
    const logFailure = throttledLog(log, 'child tokens could not be ended')
    const endThem = () =>
      endChildren(db).then(
        () => undefined,
        (error: unknown) => logFailure({ error }),
      )
    return {
      paths: createChildPaths(services),
      findCaller: createChildFinder(services),
      jobs: [() => everyMs(END_MS, endThem)],
    }
  },
})
