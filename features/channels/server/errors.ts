import { apiErrors } from '#server/core/api-error.ts'

export const channelError = apiErrors('channel', {
  unknown: { zh: '渠道不存在', en: 'there is no such channel' },
  unknown_type: { zh: '不支持渠道类型 {type}', en: 'the channel type {type} is not supported' },
  name_needed: { zh: '请填写渠道名称', en: 'a channel needs a name' },
  key_needed: { zh: '请填写渠道密钥', en: 'a channel needs a key' },
  key_needed_again: {
    zh: '现有密钥仅用于 {from}，发送至 {to} 需要重新填写密钥',
    en: 'the key was entered for {from}; to send a key to {to}, enter it again',
  },
  models_needed: { zh: '请至少选择一个模型', en: 'a channel needs at least one model' },
  groups_needed: { zh: '请至少选择一个分组', en: 'a channel needs at least one group' },
  base_url_needed: { zh: '该类型的渠道需要填写 API 地址', en: 'channels of this type need a base URL' },
  purchase_prices: {
    zh: '{model} 的采购价有误：{zh}',
    en: 'the purchase price of {model} cannot be used: {en}',
  },
  other_needed: { zh: '请填写{zh}', en: 'fill in: {en}' },
  key_not_json: { zh: '密钥应为一个 JSON 文档', en: 'the key must be one JSON document' },
  one_key: { zh: '编辑时只能填写一个密钥', en: 'an existing channel takes one key, on one line' },
  too_many_keys: { zh: '一次最多创建 {most} 个渠道', en: 'at most {most} channels can be created at once' },
  nothing_to_change: { zh: '没有任何修改', en: 'nothing has changed' },
  not_stopped: { zh: '此渠道没有禁用模型 {model}', en: 'the model {model} is not stopped on this channel' },
  unknown_tag: { zh: '没有渠道使用该标签', en: 'no channel has this tag' },
  test_running: { zh: '测试已在运行中', en: 'a test is already running' },
  cannot_tell_balance: {
    zh: '该类型的渠道不支持查询余额',
    en: 'channels of this type do not support balance queries',
  },
  balance_failed: { zh: '查询余额失败：{reason}', en: 'the balance could not be queried: {reason}' },
  update_running: { zh: '余额更新已在运行中', en: 'the balances are already being updated' },
  cannot_list_models: {
    zh: '该类型的渠道不支持获取模型列表',
    en: 'channels of this type cannot list their models',
  },
  fetch_failed: { zh: '获取模型列表失败：{reason}', en: 'the model list could not be fetched: {reason}' },
})
