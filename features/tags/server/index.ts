import { handle } from '#server/api/handle.ts'
import { everyMs, nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { defineFeature, type Job, type Services } from '#server/feature.ts'
import { UNLIMITED } from '#server/relay/admission/admit.ts'
import { listTagKeys } from '../contract.ts'
import { options } from '../options.ts'
import { deleteTagsWithoutLogs } from './queries.ts'
import { readTagsHeader, readTagsOfBody, TAGS_HEADER } from './read-tags.ts'
import { TagBook } from './tag-book.ts'

const INTERVAL_MS = 3_600_000
const ROWS_AT_ONCE = 1000

/** Deletes the tags of requests whose log rows are gone. */
export async function deleteOldTags(db: Database): Promise<void> {
  while ((await deleteTagsWithoutLogs(db, nowSeconds(), ROWS_AT_ONCE)) === ROWS_AT_ONCE);
}

const cleanUp =
  ({ db, log }: Pick<Services, 'db' | 'log'>): Job =>
  () =>
    everyMs(INTERVAL_MS, () =>
      deleteOldTags(db).catch(error => log.error('tags of old requests were not deleted', { error })),
    )

export const feature = defineFeature({
  options,
  start(services) {
    const { settings, db } = services
    const book = new TagBook(db)
    const keysNow = () => settings.of(options).RequestTagKeys
    return {
      routes: [handle(listTagKeys, async () => [...keysNow()])],
      relay: {
        // Here the header of every operation passes, tasks and conversations included.
        async admit({ httpRequest, arrival }) {
          const header = httpRequest.headers.get(TAGS_HEADER)
          const keys = keysNow()
          if (header !== null && keys.length > 0)
            await book.add(arrival.requestId, readTagsHeader(header, keys))
          return UNLIMITED
        },
        async adaptRequest(request) {
          const keys = keysNow()
          // What is free leaves no row.
          if (keys.length > 0 && request.operation.name !== 'token-count')
            await book.add(request.requestId, readTagsOfBody(request.client.name, request.clientBody, keys))
          return request
        },
      },
      jobs: [cleanUp(services)],
    }
  },
})
