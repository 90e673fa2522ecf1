import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../agent.ts'

const NO_TOOLS = 'it calls no tools: it reads changes of files from the text of a response'
/** Files that tasks put into the folder. */
const FILES = ['colour.txt', 'red.png']
const CONTEXT_TOKENS = 128_000
const OUTPUT_TOKENS = 8_000

const factsOf = (home: string): string => join(home, 'models.json')

/** Source: aider.chat/docs/config/options.html and aider.chat/docs/config/adv-model-settings.html */
export const aider: Agent = {
  name: 'aider',
  title: 'aider',
  packages: [{ registry: 'pypi', name: 'aider-chat', version: '0.86.2' }],
  otherModels: [],
  lacks: {
    'parallel-calls': NO_TOOLS,
    'failing-tool': NO_TOOLS,
    resume: NO_TOOLS,
    compaction: NO_TOOLS,
    'two-accounts': NO_TOOLS,
    'upstream-dies': NO_TOOLS,
  },
  repeatsUnpaid: 'it repeats every error whose kind it does not know for a minute, 403 among them',
  configure({ home, gateway, key, model }) {
    const facts = {
      litellm_provider: 'openai',
      mode: 'chat',
      max_input_tokens: CONTEXT_TOKENS,
      max_output_tokens: OUTPUT_TOKENS,
      supports_vision: true,
    }
    writeFileSync(factsOf(home), JSON.stringify({ [`openai/${model}`]: facts }))
    return {
      OPENAI_API_BASE: `${gateway}/v1`,
      OPENAI_API_KEY: key,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      COLUMNS: '400',
    }
  },
  command: ({ clients, home, folder, model, usesDefaultModel }, { prompt }) => [
    join(clients, 'venv/bin/aider'),
    ...(usesDefaultModel ? [] : ['--model', `openai/${model}`, '--weak-model', `openai/${model}`]),
    ...['--edit-format', 'diff'],
    ...['--model-metadata-file', factsOf(home), '--no-show-model-warnings', '--no-check-update'],
    ...[
      '--yes-always',
      '--no-git',
      '--no-pretty',
      '--no-analytics',
      '--no-show-release-notes',
      '--map-tokens',
      '0',
    ],
    ...FILES.filter(file => existsSync(join(folder, file))).flatMap(file => ['--file', file]),
    ...['--message', prompt],
  ],
  actions: () => ({
    edit: () => [],
    editText: ({ path, before, after }) =>
      `${path}\n\`\`\`\n<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE\n\`\`\``,
    run: command => ({ tool: 'none', arguments: { command } }),
    delegate: NO_TOOLS,
    search: { lacks: NO_TOOLS },
  }),
}
