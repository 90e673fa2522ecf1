import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, ATTEMPTS } from '../agent.ts'

/** Source: geminicli.com/docs/reference/configuration */
export const geminiCli: Agent = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  defect: {
    providerError: /number of function response parts is equal/,
    note: 'after resuming, the agent sends each tool result twice, which Gemini itself refuses',
  },
  packages: [{ registry: 'npm', name: '@google/gemini-cli', version: '0.61.0' }],
  otherModels: [
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
    'gemini-3-flash-preview',
    'gemini-3-pro-preview',
    'gemini-3.1-flash-lite',
  ],
  configure({ home, gateway, key, model, usesDefaultModel, compactsEarly, givesUpEarly, mcpServer }) {
    const [command, ...args] = mcpServer ?? ['']
    const folder = join(home, '.gemini')
    mkdirSync(folder, { recursive: true })
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, ...(givesUpEarly && { maxAttempts: ATTEMPTS }) },
      ...(compactsEarly && { model: { compressionThreshold: 0.01 } }),
      ...(command && { mcpServers: { notes: { command, args, trust: true } } }),
    }
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
    return {
      GOOGLE_GEMINI_BASE_URL: gateway,
      GEMINI_API_KEY: key,
      ...(!usesDefaultModel && { GEMINI_MODEL: model }),
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }
  },
  command: ({ clients }, { prompt, isResumed, image }) => [
    join(clients, 'node_modules/.bin/gemini'),
    '--yolo',
    ...(isResumed ? ['--resume', 'latest'] : []),
    '--prompt',
    image ? `${prompt} @${image}` : prompt,
  ],
  actions: () => ({
    edit: ({ path, before, after }) => [
      [{ tool: 'read_file', arguments: { file_path: path } }],
      [
        {
          tool: 'replace',
          arguments: {
            file_path: path,
            instruction: 'Change the colour.',
            old_string: before,
            new_string: after,
          },
        },
      ],
    ],
    run: command => ({ tool: 'run_shell_command', arguments: { command } }),
    delegate: prompt => [[{ tool: 'invoke_agent', arguments: { agent_name: 'generalist', prompt } }]],
    completion: text => ({ tool: 'complete_task', arguments: { result: text } }),
    callMcp: (tool, args) => [[{ tool: `mcp_notes_${tool}`, arguments: args }]],
    search: query => [{ tool: 'google_web_search', arguments: { query } }],
  }),
}
