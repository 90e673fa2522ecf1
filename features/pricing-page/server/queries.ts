import type { AbilityRow } from '#server/db/channels/abilities.ts'
import type { Database } from '#server/db/engine/database.ts'

/** Every pair of model and group that an enabled channel serves, in alphabetical order. */
export const listEnabledAbilities = (db: Database): Promise<Pick<AbilityRow, 'model' | 'group'>[]> =>
  db
    .selectFrom('abilities')
    .select(['model', 'group'])
    .distinct()
    .where('enabled', '=', 1)
    .orderBy('model')
    .orderBy('group')
    .execute()
