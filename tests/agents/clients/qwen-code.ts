import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, NESTED_TYPE, NEWER_NODE, withNewerNode } from '../agent.ts'

/** Source: qwenlm.github.io/qwen-code-docs, Settings and Model providers */
export const qwenCode: Agent = {
  name: 'qwen-code',
  title: 'Qwen Code',
  packages: [{ registry: 'npm', name: '@qwen-code/qwen-code', version: '0.24.4' }, NEWER_NODE],
  otherModels: [],
  compactPrompt: '/compress',
  configure({ home, gateway, key, model, usesDefaultModel }) {
    const folder = join(home, '.qwen')
    mkdirSync(folder, { recursive: true })
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      general: { enableAutoUpdate: false },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      // By itself it sends images only to models whose names it knows.
      model: { generationConfig: { modalities: { image: true } } },
    }
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
    return {
      OPENAI_BASE_URL: `${gateway}/v1`,
      OPENAI_API_KEY: key,
      ...(!usesDefaultModel && { OPENAI_MODEL: model }),
    }
  },
  command: ({ clients }, { prompt, isResumed, image }) => [
    ...withNewerNode(clients, 'qwen'),
    '--yolo',
    ...(isResumed ? ['--continue'] : []),
    '--prompt',
    image ? `${prompt} @${image}` : prompt,
  ],
  actions: () => ({
    edit: ({ path, before, after }) => [
      [{ tool: 'read_file', arguments: { file_path: path } }],
      [{ tool: 'edit', arguments: { file_path: path, old_string: before, new_string: after } }],
    ],
    run: command => ({ tool: 'run_shell_command', arguments: { command, is_background: false } }),
    delegate: prompt => [
      [{ tool: 'agent', arguments: { description: 'A part', prompt, [NESTED_TYPE]: 'general-purpose' } }],
    ],
    search: { lacks: 'it searches with a service of its own, not with the provider' },
  }),
}
