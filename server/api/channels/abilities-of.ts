import { distinctNames } from '#contract/fields.ts'
import type { AbilityRow, AbilitySource } from '../../db/abilities.ts'

const ENABLED = 1

/** The rows by which routing finds a channel: each of its groups with each of its models. */
export const abilitiesOf = (channel: AbilitySource): AbilityRow[] =>
  distinctNames(channel.group).flatMap(group =>
    distinctNames(channel.models).map(model => ({
      group,
      model,
      channel_id: channel.id,
      enabled: channel.status === ENABLED ? 1 : 0,
      priority: channel.priority,
      weight: channel.weight,
      tag: channel.tag,
    })),
  )
