import { deriveOnChange } from '#server/core/derive-on-change.ts'
import { createWordSearch } from '#server/core/word-search.ts'
import { defineFeature } from '#server/feature.ts'
import { createWordInspector } from './sensitive-words.ts'

export const feature = defineFeature({
  start: ({ settings }) => ({
    relay: {
      inspectRequest: createWordInspector(
        deriveOnChange(
          () => settings.current().values,
          ({ CheckSensitiveEnabled, CheckSensitiveOnPromptEnabled, SensitiveWords }) =>
            CheckSensitiveEnabled && CheckSensitiveOnPromptEnabled
              ? createWordSearch(SensitiveWords)
              : undefined,
        ),
      ),
    },
  }),
})
