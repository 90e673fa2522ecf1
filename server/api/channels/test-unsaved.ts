import type { UnsavedChannel } from '#contract/channels/channel-checks.ts'
import type { ApiContext, ChannelTestResult } from '../context.ts'
import { describe } from './make-channels.ts'

const ENABLED = 1
const UNNAMED = '-'

type Context = Pick<ApiContext, 'db' | 'registry' | 'secrets' | 'channelTester'>

/** Tests what the form holds, with its first key. A name is not needed for that, nor models beside the one to test. */
export async function testUnsaved(
  { model, stream: isStream, ...draft }: UnsavedChannel,
  context: Context,
): Promise<ChannelTestResult> {
  const { channel, keys } = await describe(
    { ...draft, name: draft.name || UNNAMED, ...(model && !draft.models && { models: model }) },
    context,
  )
  const row = { ...channel, id: 0, status: ENABLED }
  return context.channelTester.testUnsaved(row, keys[0], { model, isStream })
}
