import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, NESTED_TYPE, NEWER_NODE, withNewerNode } from '../agent.ts'

/** On chat completions. Source: moonshotai.github.io/kimi-code, Environment variables */
export const kimiCode: Agent = {
  name: 'kimi-code',
  title: 'Kimi Code',
  packages: [{ registry: 'npm', name: '@moonshot-ai/kimi-code', version: '2.1.0' }, NEWER_NODE],
  otherModels: [],
  lacks: {
    compaction: 'these runs do not make it compact',
    'default-model': 'with a provider of one’s own it must be told the model',
  },
  configure({ home, gateway, key, model, mcpServer: [command, ...args] = [''] }) {
    const folder = join(home, '.kimi-code')
    mkdirSync(folder, { recursive: true })
    if (command)
      writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { notes: { command, args } } }))
    return {
      KIMI_MODEL_NAME: model,
      KIMI_MODEL_API_KEY: key,
      KIMI_MODEL_BASE_URL: `${gateway}/v1`,
      KIMI_MODEL_PROVIDER_TYPE: 'openai',
      // By itself it asks for more than most models write.
      KIMI_MODEL_MAX_OUTPUT_SIZE: '16000',
      KIMI_CODE_NO_AUTO_UPDATE: '1',
    }
  },
  command: ({ clients }, { prompt, isResumed }) => [
    ...withNewerNode(clients, 'kimi'),
    ...(isResumed ? ['--continue'] : []),
    '--prompt',
    prompt,
  ],
  actions: () => ({
    edit: ({ path, before, after }) => [
      [{ tool: 'Read', arguments: { path } }],
      [{ tool: 'Edit', arguments: { path, old_string: before, new_string: after } }],
    ],
    run: command => ({ tool: 'Bash', arguments: { command } }),
    delegate: prompt => [
      [{ tool: 'Agent', arguments: { description: 'A part', prompt, [NESTED_TYPE]: 'coder' } }],
    ],
    callMcp: (tool, args) => [[{ tool: `mcp__notes__${tool}`, arguments: args }]],
    look: path => ({ tool: 'ReadMediaFile', arguments: { path } }),
    search: { lacks: 'it searches with a service of its own, not with the provider' },
  }),
}
