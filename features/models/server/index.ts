import * as endpoints from '#contract/models.ts'
import { usableGroups } from '#server/accounts/usable-groups.ts'
import { handle } from '#server/api/handle.ts'
import { listEnabledModels } from '#server/db/channels/abilities.ts'
import { defineFeature } from '#server/feature.ts'

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

export const feature = defineFeature({ start: () => ({ routes }) })
