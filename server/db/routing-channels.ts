import type { Selectable } from 'kysely'
import type { Database } from './database.ts'
import type { ChannelTable } from './tables.ts'

export type RoutingChannelRow = Pick<
  Selectable<ChannelTable>,
  | 'id'
  | 'type'
  | 'name'
  | 'key_sealed'
  | 'status'
  | 'weight'
  | 'priority'
  | 'base_url'
  | 'other'
  | 'openai_organization'
  | 'models'
  | 'group'
  | 'model_mapping'
  | 'status_code_mapping'
  | 'setting'
  | 'param_override'
  | 'auto_ban'
  | 'test_model'
>

/** What routing needs of every channel, whatever its status. An installation has tens to thousands of them. */
export function selectRoutingChannels(db: Database): Promise<RoutingChannelRow[]> {
  return db
    .selectFrom('channels')
    .select([
      'id',
      'type',
      'name',
      'key_sealed',
      'status',
      'weight',
      'priority',
      'base_url',
      'other',
      'openai_organization',
      'models',
      'group',
      'model_mapping',
      'status_code_mapping',
      'setting',
      'param_override',
      'auto_ban',
      'test_model',
    ])
    .orderBy('id')
    .execute()
}
