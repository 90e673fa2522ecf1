import { messageOf } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { modelFamily } from '../../core/model-family.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Database } from '../../db/database.ts'
import { type RoutingChannelRow, selectRoutingChannels } from '../../db/routing-channels.ts'
import type { Registry } from '../../providers/registry.ts'
import { type RoutedChannel, toRoutedChannel } from './routed-channel.ts'

/** All channels as they stood when they were last changed, found by group and model without a query. */
export interface ChannelDirectory {
  /** Enabled channels that serve the model, or its family, to the group, in no particular order. */
  find(group: string, model: string): readonly RoutedChannel[]
  /** Whatever its status. */
  byId(id: number): RoutedChannel | undefined
  /** Names of the models that enabled channels serve to the group, sorted. */
  modelsOf(group: string): readonly string[]
}

export interface DirectorySource {
  readonly db: Database
  readonly registry: Registry
  readonly secrets: Secrets
  readonly log: Log
}

/** Reads every channel. One that cannot be used is left out and logged with the reason; the others go on. */
export async function loadChannelDirectory(source: DirectorySource): Promise<ChannelDirectory> {
  const rows = await selectRoutingChannels(source.db)
  return directoryOf(rows.flatMap(row => usable(row, source)))
}

function usable(row: RoutingChannelRow, { registry, secrets, log }: DirectorySource): RoutedChannel[] {
  const provider = registry.byType(row.type)
  if (!provider) return []
  try {
    return [toRoutedChannel(row, provider, secrets.open(row.key_sealed))]
  } catch (error) {
    log.error('a channel was left out of routing', { channel_id: row.id, reason: messageOf(error) })
    return []
  }
}

export function directoryOf(channels: readonly RoutedChannel[]): ChannelDirectory {
  const byId = new Map(channels.map(channel => [channel.id, channel]))
  const byGroup = new Map<string, Map<string, RoutedChannel[]>>()
  for (const channel of channels) {
    if (!channel.isEnabled) continue
    for (const group of channel.groups) addTo(byGroup, group, channel)
  }
  return {
    find(group, model) {
      const byModel = byGroup.get(group)
      return byModel?.get(model) ?? byModel?.get(modelFamily(model)) ?? []
    },
    byId: id => byId.get(id),
    modelsOf: group => [...(byGroup.get(group)?.keys() ?? [])].sort(),
  }
}

function addTo(
  byGroup: Map<string, Map<string, RoutedChannel[]>>,
  group: string,
  channel: RoutedChannel,
): void {
  const byModel = byGroup.get(group) ?? new Map<string, RoutedChannel[]>()
  byGroup.set(group, byModel)
  for (const model of channel.models) byModel.set(model, [...(byModel.get(model) ?? []), channel])
}
