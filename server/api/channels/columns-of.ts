import type { ChannelDraft } from '#contract/channels/channels.ts'
import { distinctNames } from '#contract/fields.ts'
import type { ChannelUpdate } from '../../db/channels.ts'

/** Body fields that are columns of the same name. Whatever else is sent (ids, balances, times) is ignored. */
const COLUMNS = [
  'type',
  'name',
  'openai_organization',
  'test_model',
  'base_url',
  'other',
  'models',
  'group',
  'model_mapping',
  'status_code_mapping',
  'setting',
  'param_override',
  'tag',
  'priority',
  'weight',
  'auto_ban',
  'max_input_tokens',
] as const

export type Columns = { [Column in (typeof COLUMNS)[number]]?: NonNullable<ChannelUpdate[Column]> }

/** The columns that a body sets. `groups` counts where `group` was not sent. */
export function columnsOf(body: ChannelDraft): Columns {
  const sent = COLUMNS.flatMap(column =>
    body[column] === undefined ? [] : [[column, body[column]] as const],
  )
  const groups =
    body.group === undefined && body.groups ? { group: distinctNames(body.groups).join(',') } : {}
  return { ...Object.fromEntries(sent), ...groups }
}
