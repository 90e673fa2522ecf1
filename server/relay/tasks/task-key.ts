import { CHANNEL_KEY_PURPOSE } from '../../core/crypto.ts'
import type { TaskRow } from '../../db/system/tasks.ts'
import type { RelayContext } from '../relay-context.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import { readBill } from './stored-bill.ts'

/** By which the key that submitted a task is found again. */
export const markOfKey = (key: string, { secrets }: Pick<RelayContext, 'secrets'>): string =>
  secrets.hash(CHANNEL_KEY_PURPOSE, key)

/** The task's channel with the key that submitted it: only that account of the vendor knows the task. */
export function withKeyOf(
  row: TaskRow,
  channel: RoutedChannel,
  gateway: Pick<RelayContext, 'secrets'>,
): RoutedChannel {
  if (channel.views.length === 1) return channel
  const { keyMark } = readBill(row)
  const view = channel.views.find(({ key }) => markOfKey(key, gateway) === keyMark)
  return view ? { ...channel, view } : channel
}
