import {
  listGroups,
  listOpenGroups,
  listSelfGroups,
  listTypeModels,
  listUserModels,
} from '#contract/models.ts'
import { listEnabledModels } from '../../db/abilities.ts'
import { handle } from '../handle.ts'
import { usableGroups } from '../usable-groups.ts'

export const routes = [
  handle(listTypeModels, async ({ registry }) =>
    Object.fromEntries(registry.all().map(({ type, models }) => [String(type), [...models]])),
  ),

  handle(listUserModels, async ({ db, settings, caller }) =>
    listEnabledModels(db, Object.keys(usableGroups(settings.current().values, caller.group))),
  ),

  handle(listSelfGroups, async ({ settings, caller }) =>
    usableGroups(settings.current().values, caller.group),
  ),
  handle(listOpenGroups, async ({ settings }) => usableGroups(settings.current().values, '')),
  handle(listGroups, async ({ settings }) => Object.keys(settings.current().values.GroupRatio).sort()),
]
