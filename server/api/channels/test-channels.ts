import { nowSeconds } from '../../core/clock.ts'
import { type ChannelRow, findChannel, updateTestTimes, updateChannels, disableChannelAutomatically } from '../../db/channels/channels.ts'
import type { RunOutcome } from '../channel-run.ts'
import type { ApiContext, ChannelTestOutcome, ChannelTestOptions } from '../context.ts'
import { writeChannels } from './rebuild.ts'
import { channelError } from './refuse.ts'
import type { UnsavedChannel } from '#contract/channels/channel-checks.ts'
import { resolveDraft } from './make-channels.ts'

const STATUS = { enabled: 1, disabledByGateway: 3 } as const

type ChannelTestDeps = Pick<ApiContext, 'db' | 'settings' | 'channelTester' | 'rootNotices'>

/** Tests one channel and notes how long it took, whatever came of it. */
export async function testAndRecord(
  channelId: number,
  wanted: ChannelTestOptions,
  context: ChannelTestDeps,
): Promise<ChannelTestOutcome> {
  const { db, channelTester } = context
  if (!(await findChannel(db, channelId))) throw channelError('unknown')
  const result = await channelTester.testChannel(channelId, wanted)
  await updateTestTimes(db, channelId, {
    test_time: nowSeconds(),
    response_time: Math.round(result.timeMs),
  })
  return result
}

/** Tests one channel and, as the options allow, takes it out of routing or back into it. */
export async function testAndUpdateStatus(channelId: number, context: ChannelTestDeps): Promise<RunOutcome> {
  const result = await testAndRecord(channelId, { model: '', isStream: false }, context)
  const channel = await findChannel(context.db, channelId)
  return { ok: result.ok, change: channel ? await updateStatus(channel, result, context) : 'none' }
}

async function updateStatus(
  channel: ChannelRow,
  result: ChannelTestOutcome,
  { db, settings, rootNotices }: ChannelTestDeps,
): Promise<RunOutcome['change']> {
  const { AutomaticDisableChannelEnabled, AutomaticEnableChannelEnabled, ChannelDisableThreshold } =
    settings.current().values
  const reason = disableReason(result, ChannelDisableThreshold)
  if (
    channel.status === STATUS.enabled &&
    channel.auto_ban === 1 &&
    AutomaticDisableChannelEnabled &&
    reason
  ) {
    const isDone = await disableChannelAutomatically(db, channel.id, { reason, atSeconds: nowSeconds() })
    if (isDone) rootNotices.channelDisabled(channel, reason)
    return 'disabled'
  }
  if (channel.status === STATUS.disabledByGateway && result.ok && !reason && AutomaticEnableChannelEnabled) {
    await writeChannels(db, tx =>
      updateChannels(tx, { ids: [channel.id] }, { status: STATUS.enabled, other_info: '' }),
    )
    rootNotices.channelEnabled(channel)
    return 'enabled'
  }
  return 'none'
}

function disableReason(
  { isKeyDead, message, timeMs }: ChannelTestOutcome,
  thresholdSeconds: number,
): string {
  if (isKeyDead) return message
  const isSlow = thresholdSeconds > 0 && timeMs > thresholdSeconds * 1000
  return isSlow ? `the test took ${(timeMs / 1000).toFixed(2)} s, ${thresholdSeconds} s are allowed` : ''
}

const ENABLED = 1
const UNNAMED = '-'

type UnsavedTestDeps = Pick<ApiContext, 'db' | 'registry' | 'secrets' | 'channelTester'>

/** Tests what the form holds, with its first key. A name is not needed for that, nor models beside the one to test. */
export async function testUnsaved(
  { model, stream: isStream, ...draft }: UnsavedChannel,
  context: UnsavedTestDeps,
): Promise<ChannelTestOutcome> {
  const { channel, keys } = await resolveDraft(
    { ...draft, name: draft.name || UNNAMED, ...(model && !draft.models && { models: model }) },
    context,
  )
  const row = { ...channel, id: 0, status: ENABLED }
  return context.channelTester.testUnsaved(row, keys[0], { model, isStream })
}
