import type { ValuesOf } from '#contract/options/define-option.ts'
import { deriveOnChange } from '#server/core/derive-on-change.ts'
import { MIB } from '#server/core/limits.ts'
import { defineFeature } from '#server/feature.ts'
import { storedResponses } from '../migrations/0013-stored-responses.ts'
import { conversations } from '../migrations/0014-conversations.ts'
import { backgroundResponses as backgroundTables } from '../migrations/0015-background-responses.ts'
import { stateOwners } from '../migrations/0030-state-owners.ts'
import { stateWithRowids } from '../migrations/0087-state-with-rowids.ts'
import { backgroundWithRowids } from '../migrations/0088-background-with-rowids.ts'
import { options } from '../options.ts'
import { BackgroundResponses } from './background/background-responses.ts'
import type { ResponseStoreLimits } from './conversation-store.ts'
import { createPaths } from './paths.ts'
import { deleteBackgroundResponsesOfUser } from './queries/background-responses.ts'
import { deleteConversationsOfUser } from './queries/conversations.ts'
import { deleteStoredResponsesOfUser } from './queries/stored-responses.ts'
import { ResponseStore } from './response-store.ts'
import { createStoredRequests } from './stored-requests.ts'

export const feature = defineFeature({
  options,
  on: {
    async userDeleted(tx, userId) {
      await deleteStoredResponsesOfUser(tx, userId)
      await deleteConversationsOfUser(tx, userId)
      await deleteBackgroundResponsesOfUser(tx, userId)
    },
  },
  migrations: [
    storedResponses,
    conversations,
    backgroundTables,
    stateOwners,
    stateWithRowids,
    backgroundWithRowids,
  ],
  start(services) {
    const { settings, relay } = services
    const limits = deriveOnChange(() => settings.of(options), toLimits)
    const responseStore = new ResponseStore({ ...services, limits })
    const backgroundResponses = new BackgroundResponses({ ...services, openCalls: relay.openCalls })
    return {
      paths: createPaths({ ...services, ...relay, responseStore, backgroundResponses }),
      relay: createStoredRequests({
        ...relay,
        channels: services.channels,
        responseStore,
        backgroundResponses,
      }),
      stop: () => backgroundResponses.stop(),
    }
  },
})

const toLimits = (values: ValuesOf<typeof options>): ResponseStoreLimits => ({
  isEnabled: values.ResponseStoreEnabled,
  days: values.ResponseStoreDays,
  bytesMax: values.ResponseStoreMegabytes * MIB,
})
