import { flag, inSection, integer, type OptionSection, UNITS } from '#contract/options/define-option.ts'

const SECTION: OptionSection = {
  id: 'thoughts',
  tab: 'operation',
  order: 81,
  title: { zh: '思考内容', en: 'Thinking' },
}

export const options = inSection(SECTION, {
  ThoughtsEnabled: flag(true, {
    label: { zh: '为客户端保留工具调用前的思考', en: 'Keep the thinking before tool calls for clients' },
    help: {
      zh: '部分模型要求下一轮带回思考内容或签名，而客户端未带回时，由网关加密保存并补回；请求设置 store 为 false 时不保存。',
      en: 'Where a model demands its thinking or signatures back in the next turn and the client does not send them, the gateway does, from an encrypted store. Requests with store: false are not kept.',
    },
  }),
  ThoughtsDays: integer(3, [1, 90], {
    label: { zh: '思考内容保留时间', en: 'Time to keep thinking' },
    help: { zh: '从最后一次使用起计算。', en: 'Since its last use.' },
    unit: UNITS.days,
  }),
  ThoughtsMegabytes: integer(20, [1, 1_024], {
    label: { zh: '每个用户的思考存储上限', en: 'Limit of thinking per user' },
    help: {
      zh: '超出后优先删除最久未使用的思考内容。',
      en: 'Beyond it, the thinking that was not used for the longest time is deleted.',
    },
    unit: UNITS.mebibytes,
  }),
})
