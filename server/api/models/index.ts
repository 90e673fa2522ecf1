import * as endpoints from '#contract/models.ts'
import { listEnabledModels } from '../../db/channels/abilities.ts'
import { handle } from '../handle.ts'
import { usableGroups } from '../usable-groups.ts'

export const routes = [
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
