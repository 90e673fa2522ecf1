import { type Agent, CHANNEL_KINDS } from '../agent.ts'
import { driverActions, driverCommand, driverEnvironment } from '../sdk-agent.ts'

/** Source: openai.github.io/openai-agents-js */
export const openaiAgents: Agent = {
  name: 'openai-agents',
  title: 'OpenAI Agents SDK',
  packages: [
    { registry: 'npm', name: '@openai/agents', version: '0.20.0' },
    { registry: 'npm', name: 'zod', version: '4.6.7' },
  ],
  otherModels: [],
  configure: workspace => ({
    ...driverEnvironment(workspace),
    OPENAI_BASE_URL: `${workspace.gateway}/v1`,
    OPENAI_API_KEY: workspace.key,
    // It sends traces to OpenAI by default.
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  }),
  command: (workspace, turn) => driverCommand('node', 'openai-agents.mjs', workspace, turn),
  actions: () => ({
    ...driverActions,
    edit: ({ path, before, after }) => [
      [
        {
          tool: 'apply_patch',
          arguments: { type: 'update_file', path, diff: `@@\n-${before}\n+${after}\n` },
        },
      ],
    ],
    run: command => ({ tool: 'shell', arguments: { commands: [command] } }),
    search: 'hosted',
  }),
  lacks: Object.fromEntries(
    CHANNEL_KINDS.filter(kind => kind !== 'openai').map(kind => [
      `${kind} compaction`,
      'the SDK compacts only with models whose names are those of OpenAI',
    ]),
  ),
}
