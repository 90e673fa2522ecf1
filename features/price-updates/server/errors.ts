import { apiErrors } from '#server/core/api-error.ts'

export const priceUpdateError = apiErrors('price_update', {
  no_feed: { zh: '请填写地址，或粘贴价格内容', en: 'enter an address, or paste a feed' },
  unreadable: { zh: '无法读取价格内容：{reason}', en: 'the feed cannot be read: {reason}' },
  too_many: {
    zh: '与 {count} 个模型不同，最多一次处理 {limit} 个',
    en: '{count} models differ, and at most {limit} are handled at once',
  },
  outdated: {
    zh: '价格来源已重新读取，请查看新的差异后再操作',
    en: 'the feed has been read again: look at the new differences first',
  },
  unknown: { zh: '{model} 没有待审批的价格', en: 'no price of {model} waits for an approval' },
  pinned: { zh: '{model} 的价格已锁定', en: 'the price of {model} is pinned' },
  suspicious: {
    zh: '{model} 的价格变化异常，请单独确认',
    en: 'the new price of {model} is suspicious and needs a confirmation of its own',
  },
  inexact: {
    zh: '无法按 {model} 的新价格精确计费',
    en: 'the new price of {model} cannot be charged exactly',
  },
  too_large: {
    zh: '设置项 {option} 的内容过长，请减少模型',
    en: 'the option {option} would become too long: approve fewer models',
  },
  unknown_batch: { zh: '没有可撤销的更改', en: 'there is no change to undo' },
  changed_since: {
    zh: '{model} 的价格之后又有更改，无法撤销',
    en: 'the price of {model} was changed since and is not overwritten',
  },
})
