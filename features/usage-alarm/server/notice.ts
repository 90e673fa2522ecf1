import type { NamedChannel } from '#server/notifications/root-notifier.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'

/** `rejected`: the figures cannot be true. `contradictory`: they contradict the settings of the channel. */
export type AlarmKind = 'rejected' | 'contradictory'

/** Tells the super administrator that a channel reports usage which cannot be charged as it is. */
export function usageNotice({ id, name }: NamedChannel, reason: string, kind: AlarmKind): UserNotification {
  const texts = kind === 'rejected' ? rejectedTexts : contradictoryTexts
  return {
    type: `channel_usage_${id}`,
    values: [name, String(id), reason],
    ...texts(`${name} (#${id})`, reason),
  }
}

type NoticeTexts = (channel: string, reason: string) => Pick<UserNotification, 'subject' | 'text'>

const rejectedTexts: NoticeTexts = (channel, reason) => ({
  subject: { zh: `渠道 ${channel} 上报的用量异常`, en: `Channel ${channel} reported implausible usage` },
  text: {
    zh: `渠道 ${channel} 上报的用量超出请求可能产生的上限，该请求已按估算计费：${reason}`,
    en: `Channel ${channel} reported more usage than the request can have had, so an estimate was charged: ${reason}`,
  },
})

const contradictoryTexts: NoticeTexts = (channel, reason) => ({
  subject: {
    zh: `渠道 ${channel} 的用量口径与设置不符`,
    en: `Channel ${channel} counts usage in another way`,
  },
  text: {
    zh: `渠道 ${channel} 上报的数字与渠道设置中的用量口径不符，目前仍按设置计费，请在渠道的高级设置中检测并修正：${reason}`,
    en: `The figures of channel ${channel} contradict its settings, by which they are still charged. Find out how it counts under Advanced in the channel: ${reason}`,
  },
})
