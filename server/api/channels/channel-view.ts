import type { Channel } from '#contract/channels/channels.ts'
import { distinctNames } from '#contract/fields.ts'
import type { ChannelRow } from '../../db/channels.ts'

/** A channel as administrators see it. Its key never leaves. */
export const toChannel = (row: ChannelRow): Channel => ({
  id: row.id,
  type: row.type,
  key: '',
  name: row.name,
  status: row.status,
  openai_organization: row.openai_organization,
  test_model: row.test_model,
  base_url: row.base_url,
  other: row.other,
  models: row.models,
  group: row.group,
  groups: distinctNames(row.group),
  model_mapping: row.model_mapping,
  status_code_mapping: row.status_code_mapping,
  setting: row.setting,
  param_override: row.param_override,
  other_info: row.other_info,
  tag: row.tag,
  priority: row.priority,
  weight: row.weight,
  auto_ban: row.auto_ban,
  max_input_tokens: row.max_input_tokens,
  response_time: row.response_time,
  test_time: row.test_time,
  created_time: row.created_time,
  balance: row.balance,
  balance_updated_time: row.balance_updated_time,
  used_quota: row.used_quota,
})
