import * as endpoints from '#contract/models.ts'
import { usableGroups } from '#server/accounts/usable-groups.ts'
import { handle } from '#server/api/handle.ts'
import { listEnabledModels } from '#server/db/channels/abilities.ts'
import { defineFeature } from '#server/feature.ts'
import { get, type RelayRoute } from '#server/relay/routes/routes.ts'
import { getModel, listModels } from './model-lists.ts'

const routes = [
  handle(endpoints.listTypeModels, async ({ registry }) =>
    Object.fromEntries(registry.all().map(({ type, models }) => [String(type), [...models]])),
  ),

  handle(endpoints.listUserModels, async ({ reader, settings, caller }) =>
    listEnabledModels(reader, Object.keys(usableGroups(settings.current().values, caller.group))),
  ),

  handle(endpoints.listSelfGroups, async ({ settings, caller, language }) =>
    usableGroups(settings.current().values, caller.group, language),
  ),
  handle(endpoints.listOpenGroups, async ({ settings, language }) =>
    usableGroups(settings.current().values, '', language),
  ),
  handle(endpoints.listGroups, async ({ settings }) =>
    Object.keys(settings.current().values.GroupRatio).sort(),
  ),
]

/** OpenAI and Anthropic share the path of the model list; only Anthropic's clients send a version. */
const asAnthropic = (route: RelayRoute): RelayRoute => ({
  ...route,
  isFor: headers => headers.has('anthropic-version'),
})

export const feature = defineFeature({
  start: () => ({
    routes,
    paths: [
      get('/v1beta/models', listModels, 'gemini'),
      get(/^\/v1beta\/models\/(?<model>.+)$/, getModel, 'gemini'),
      asAnthropic(get('/v1/models', listModels, 'anthropic')),
      asAnthropic(get(/^\/v1\/models\/(?<model>.+)$/, getModel, 'anthropic')),
      get('/v1/models', listModels),
      get(/^\/v1\/models\/(?<model>.+)$/, getModel),
    ],
  }),
})
