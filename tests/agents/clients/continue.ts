import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, type AgentCall, MODELS } from '../agent.ts'

const configOf = (home: string): string => join(home, 'config.yaml')

/** Source: docs.continue.dev/cli and docs.continue.dev/reference */
export const continueCli: Agent = {
  name: 'continue',
  title: 'Continue',
  packages: [{ registry: 'npm', name: '@continuedev/cli', version: '1.5.47' }],
  otherModels: [],
  lacks: {
    'image-in': 'it takes no image without its screen',
    'default-model': 'its configuration names the model',
    compaction: 'it compacts within a run by itself, and between two only on its screen',
    'openai budget-spent':
      "it repeats 429 for minutes, which is also OpenAI's own response to a spent budget",
    'openai context-overflow': 'it ends without a text when a stream of the Responses API fails',
  },
  configure({ home, gateway, key, model }) {
    const configuration = {
      name: 'Tollgate',
      version: '1.0.0',
      schema: 'v1',
      models: [
        {
          name: model,
          provider: 'openai',
          model,
          apiBase: `${gateway}/v1`,
          apiKey: key,
          roles: ['chat'],
          capabilities: ['tool_use', 'image_input'],
        },
      ],
    }
    // YAML contains JSON.
    writeFileSync(configOf(home), JSON.stringify(configuration))
    return { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_ENABLE_TELEMETRY: '0' }
  },
  command: ({ clients, home }, { prompt, isResumed }) => [
    join(clients, 'node_modules/.bin/cn'),
    '--config',
    configOf(home),
    '--auto',
    ...(isResumed ? ['--resume'] : []),
    '--print',
    prompt,
  ],
  actions: ({ model }) => ({
    edit: ({ path, before, after }) => [
      [{ tool: 'Read', arguments: { filepath: path } }],
      [editCall(path, { old_string: before, new_string: after }, model)],
    ],
    run: command => ({ tool: 'Bash', arguments: { command } }),
    delegate: 'without its screen its nested agents find no session and fail',
    search: { lacks: 'it searches with a service of its own, not with the provider' },
  }),
}

/** It offers a tool for several changes to models that it thinks able, and one for a single change to others. */
const editCall = (path: string, edit: object, model: string): AgentCall =>
  model === MODELS.custom
    ? { tool: 'Edit', arguments: { file_path: path, ...edit } }
    : { tool: 'MultiEdit', arguments: { file_path: path, edits: [edit] } }
