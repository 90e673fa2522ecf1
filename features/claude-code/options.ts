import { z } from 'zod'
import { MODEL_NAME_LENGTH_MAX } from '#contract/fields.ts'
import { flag, inSection, json } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

export const options = inSection(SECTIONS.deviceSignIn, {
  ClientTelemetryEnabled: flag(false, {
    order: 10,
    label: { zh: '统计客户端上报的用量', en: 'Count the usage that clients report' },
    help: {
      zh: '将 Claude Code 上报的 Token 数与费用计入监控指标，不影响计费。',
      en: 'Adds the tokens and costs that Claude Code reports to the metrics. They charge nobody.',
    },
  }),
  ClaudeCodeSettings: json(
    z.record(z.string().max(MODEL_NAME_LENGTH_MAX), z.record(z.string(), z.unknown())),
    '{}',
    {
      order: 20,
      label: { zh: 'Claude Code 托管设置', en: 'Managed settings of Claude Code' },
      help: {
        zh: 'JSON：分组名称到 Claude Code 的设置，* 适用于其他分组，例如 {"*": {}}。可用模型与遥测设置自动填入。没有对应分组时不下发设置。',
        en: 'JSON: group to settings of Claude Code, * for all other groups, such as {"*": {}}. Available models and telemetry are filled in. Groups without an entry get no settings.',
      },
    },
  ),
})
