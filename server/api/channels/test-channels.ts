import { nowSeconds } from '../../core/clock.ts'
import { disableChannelAutomatically } from '../../db/channel-health.ts'
import { type ChannelRow, findChannel, updateTestTimes, updateChannels } from '../../db/channels.ts'
import type { RunOutcome } from '../channel-run.ts'
import type { ApiContext, ChannelTestResult, WantedTest } from '../context.ts'
import { changeChannels } from './rebuild.ts'
import { refuse } from './refuse.ts'

const STATUS = { enabled: 1, disabledByGateway: 3 } as const

type Context = Pick<ApiContext, 'db' | 'settings' | 'channelTester' | 'rootNotices'>

/** Tests one channel and notes how long it took, whatever came of it. */
export async function testAndNote(
  channelId: number,
  wanted: WantedTest,
  context: Context,
): Promise<ChannelTestResult> {
  const { db, channelTester } = context
  if (!(await findChannel(db, channelId))) throw refuse('unknown')
  const result = await channelTester.testChannel(channelId, wanted)
  await updateTestTimes(db, channelId, {
    test_time: nowSeconds(),
    response_time: Math.round(result.timeMs),
  })
  return result
}

/** Tests one channel and, as the options allow, takes it out of routing or back into it. */
export async function testAndJudge(channelId: number, context: Context): Promise<RunOutcome> {
  const result = await testAndNote(channelId, { model: '', isStream: false }, context)
  const channel = await findChannel(context.db, channelId)
  return { ok: result.ok, change: channel ? await judge(channel, result, context) : 'none' }
}

async function judge(
  channel: ChannelRow,
  result: ChannelTestResult,
  { db, settings, rootNotices }: Context,
): Promise<RunOutcome['change']> {
  const { AutomaticDisableChannelEnabled, AutomaticEnableChannelEnabled, ChannelDisableThreshold } =
    settings.current().values
  const reason = reasonToDisable(result, ChannelDisableThreshold)
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
    await changeChannels(db, tx =>
      updateChannels(tx, { ids: [channel.id] }, { status: STATUS.enabled, other_info: '' }),
    )
    rootNotices.channelEnabled(channel)
    return 'enabled'
  }
  return 'none'
}

function reasonToDisable(
  { isKeyDead, message, timeMs }: ChannelTestResult,
  thresholdSeconds: number,
): string {
  if (isKeyDead) return message
  const isSlow = thresholdSeconds > 0 && timeMs > thresholdSeconds * 1000
  return isSlow ? `the test took ${(timeMs / 1000).toFixed(2)} s, ${thresholdSeconds} s are allowed` : ''
}
