import type { BothLanguages } from '#server/core/language.ts'
import type { NamedChannel } from '#server/notifications/root-notifier.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'

/** Tells the super administrator that a channel sells a model for less than its provider charges. */
export function lossNotice({ id, name }: NamedChannel, reason: BothLanguages): UserNotification {
  const channel = `${name} (#${id})`
  return {
    type: `channel_margin_${id}`,
    values: [name, String(id), reason.en],
    subject: { zh: `渠道 ${channel} 低于成本销售`, en: `Channel ${channel} sells below cost` },
    text: {
      zh: `渠道 ${channel}：${reason.zh}。请检查模型价格、分组倍率和渠道的采购价。`,
      en: `Channel ${channel}: ${reason.en}. Check the price of the model, the ratio of the group and the purchase price of the channel.`,
    },
  }
}

/** Tells them that the channel no longer serves the model. */
export function stopNotice(
  { id, name }: NamedChannel,
  model: string,
  reason: BothLanguages,
): UserNotification {
  const channel = `${name} (#${id})`
  return {
    type: `channel_model_${id}_${model}`,
    values: [name, String(id), model, reason.en],
    subject: {
      zh: `渠道 ${channel} 的模型 ${model} 已被禁用`,
      en: `The model ${model} was stopped on channel ${channel}`,
    },
    text: {
      zh: `渠道 ${channel} 的模型 ${model} 已被自动禁用，其他模型不受影响，原因：${reason.zh}。修正价格后，可在渠道编辑页重新允许该模型。`,
      en: `The model ${model} was stopped on channel ${channel}, which goes on serving its other models: ${reason.en}. Once its price is right, allow it again in the channel.`,
    },
  }
}
