import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { TaskDeps } from './platform.ts'

/** Finds a task's channel. One that another process has just created is not in memory yet. */
export async function findTaskChannel(
  id: number,
  { channels }: Pick<TaskDeps, 'channels'>,
): Promise<RoutedChannel | undefined> {
  const channel = channels.current().byId(id)
  if (channel) return channel
  await channels.refresh()
  return channels.current().byId(id)
}
