import type { ValuesOf } from '#contract/options/define-option.ts'
import { deriveOnChange } from '#server/core/derive-on-change.ts'
import { MIB } from '#server/core/limits.ts'
import { defineFeature } from '#server/feature.ts'
import { thoughts } from '../migrations/0033-thoughts.ts'
import { thoughtsWithRowids } from '../migrations/0089-thoughts-with-rowids.ts'
import { options } from '../options.ts'
import { deleteThoughtsOfUser } from './queries.ts'
import { type ThoughtLimits, ThoughtStore } from './thought-store.ts'

export const feature = defineFeature({
  options,
  on: { userDeleted: (tx, userId) => deleteThoughtsOfUser(tx, userId) },
  migrations: [thoughts, thoughtsWithRowids],
  start(services) {
    const limits = deriveOnChange(() => services.settings.of(options), toLimits)
    const store = new ThoughtStore({ ...services, limits })
    return {
      relay: {
        adaptRequest: request => store.complete(request),
        recordResponse: (request, { maker }) => store.record(request, maker),
      },
    }
  },
})

const toLimits = (values: ValuesOf<typeof options>): ThoughtLimits => ({
  isEnabled: values.ThoughtsEnabled,
  days: values.ThoughtsDays,
  bytesMax: values.ThoughtsMegabytes * MIB,
})
