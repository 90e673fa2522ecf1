import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, MODELS, NESTED_TYPE, patchOf } from '../agent.ts'

/** The package of this platform, which `opencode-ai` would choose in an install script. */
const PACKAGE = `opencode-${process.platform}-${process.arch}`
const COMPACT_AT_TOKENS = 7_000
const CONTEXT_TOKENS = 128_000
const OUTPUT_TOKENS = 8_000

/** Source: opencode.ai/docs/providers */
export const opencode: Agent = {
  name: 'opencode',
  title: 'opencode',
  packages: [{ registry: 'npm', name: PACKAGE, version: '1.18.33' }],
  otherModels: [],
  configure({ home, gateway, key, model, usesDefaultModel, compactsEarly, mcpServer }) {
    const folder = join(home, '.config/opencode')
    mkdirSync(folder, { recursive: true })
    const context = compactsEarly ? COMPACT_AT_TOKENS + OUTPUT_TOKENS : CONTEXT_TOKENS
    const options = { baseURL: `${gateway}/v1`, apiKey: key }
    const facts = {
      attachment: true,
      modalities: { input: ['text', 'image'], output: ['text'] },
      limit: { context, output: OUTPUT_TOKENS },
    }
    const tollgate = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Tollgate',
      options,
      models: { [model]: facts },
    }
    const configuration = {
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      ...(mcpServer && { mcp: { notes: { type: 'local', command: mcpServer, enabled: true } } }),
      // It has a default among the models of a provider that it knows.
      ...(usesDefaultModel
        ? { provider: { openai: { options } } }
        : { model: `tollgate/${model}`, provider: { tollgate } }),
    }
    writeFileSync(join(folder, 'opencode.json'), JSON.stringify(configuration))
    return { OPENCODE_DISABLE_MODELS_FETCH: '1' }
  },
  command: ({ clients }, { prompt, isResumed, image }) => [
    join(clients, 'node_modules', PACKAGE, 'bin', 'opencode'),
    'run',
    ...(isResumed ? ['--continue'] : []),
    prompt,
    ...(image ? ['--file', image] : []),
  ],
  actions: ({ model }) => ({
    edit: ({ path, before, after }) => [
      [{ tool: 'read', arguments: { filePath: path } }],
      [
        // It offers this tool instead of `edit` for models of OpenAI.
        model === MODELS.openai
          ? { tool: 'apply_patch', arguments: { patchText: patchOf(path, before, after) } }
          : { tool: 'edit', arguments: { filePath: path, oldString: before, newString: after } },
      ],
    ],
    run: command => ({ tool: 'bash', arguments: { command, description: 'Runs a command' } }),
    delegate: prompt => [
      [{ tool: 'task', arguments: { description: 'A part', prompt, [NESTED_TYPE]: 'general' } }],
    ],
    callMcp: (tool, args) => [[{ tool: `notes_${tool}`, arguments: args }]],
    search: { lacks: 'it searches with a service of its own, not with the provider' },
  }),
}
