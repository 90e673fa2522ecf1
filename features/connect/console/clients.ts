import type { CallTarget } from '#console/app/snippets/first-call.ts'
import { shellQuote } from '#console/app/snippets/shell-quote.ts'
import type { Status } from '#contract/status.ts'

export interface ConnectTarget extends CallTarget {
  /** An inexpensive model for titles and summaries; the same as `model` when none is known. */
  readonly smallModel: string
}

/** A text to copy: a file to write, or commands for a terminal. */
export interface CodeBlock {
  /** Path of the file, or name of the shell. */
  readonly name: string
  readonly write: (target: ConnectTarget) => string
}

/** A value to enter in a client's settings. */
export interface SettingsField {
  /** The client's own word for it, which it does not translate. */
  readonly label: string
  readonly write: (target: ConnectTarget) => string
  readonly isSecret?: boolean
}

export type ConnectStep =
  | { readonly kind: 'install' | 'run'; readonly command: string }
  /** Each block is complete; the reader takes the one that fits. */
  | { readonly kind: 'file' | 'environment'; readonly blocks: readonly CodeBlock[] }
  /** One command, after which the client signs in by itself. */
  | { readonly kind: 'signIn'; readonly blocks: readonly CodeBlock[] }
  | { readonly kind: 'settings'; readonly path: string; readonly fields: readonly SettingsField[] }

export interface ConnectClient {
  readonly id: string
  /** The product's name. */
  readonly name: string
  /** The models that work best with it, best first. Any other chat model follows. */
  readonly preferred: readonly RegExp[]
  readonly steps: readonly ConnectStep[]
  /** It gets a token by itself, so none is chosen. */
  readonly signsIn?: boolean
  /** The maker's page about custom addresses. */
  readonly documentation: string
}

const CLAUDE = [/^claude-(opus|sonnet)/, /^claude-/]
const GPT = [/^gpt-[\d.]+-codex$/, /^gpt-5/, /^gpt-/, /^o\d/]
const GEMINI = [/^gemini-.*pro/, /^gemini-/]

const openAiUrl = ({ address }: ConnectTarget): string => `${address}/v1`

const exports = (variables: ReadonlyArray<readonly [string, string]>): string =>
  variables.map(([name, value]) => `export ${name}=${shellQuote(value)}`).join('\n')

/** PowerShell escapes a quote inside a quoted string by doubling it. */
const powerShell = (variables: ReadonlyArray<readonly [string, string]>): string =>
  variables.map(([name, value]) => `$env:${name} = '${value.replaceAll("'", "''")}'`).join('\n')

type Variables = (target: ConnectTarget) => ReadonlyArray<readonly [string, string]>

const environmentBlocks = (variables: Variables): readonly CodeBlock[] => [
  { name: 'macOS / Linux', write: target => exports(variables(target)) },
  { name: 'Windows PowerShell', write: target => powerShell(variables(target)) },
]

const json = (value: object): string => JSON.stringify(value, undefined, 2)

const claudeVariables: Variables = ({ address, key, model, smallModel }) => [
  ['ANTHROPIC_BASE_URL', address],
  ['ANTHROPIC_AUTH_TOKEN', key],
  ['ANTHROPIC_MODEL', model],
  ['ANTHROPIC_DEFAULT_HAIKU_MODEL', smallModel],
]

/** The administrator's settings of Claude Code, one file beside others. Source: code.claude.com/docs/en/settings. */
const gatewayFile = ({ address }: ConnectTarget): string =>
  JSON.stringify({ forceLoginMethod: 'gateway', forceLoginGatewayUrl: address })

const gatewayCommand =
  (folder: string) =>
  (target: ConnectTarget): string =>
    `sudo mkdir -p ${shellQuote(folder)} && echo ${shellQuote(gatewayFile(target))} | sudo tee ${shellQuote(`${folder}/tollgate.json`)} && claude /login`

const WINDOWS_FOLDER = 'C:\\Program Files\\ClaudeCode\\managed-settings.d'

const SIGN_IN: ConnectStep = {
  kind: 'signIn',
  blocks: [
    { name: 'Linux', write: gatewayCommand('/etc/claude-code/managed-settings.d') },
    {
      name: 'macOS',
      write: gatewayCommand('/Library/Application Support/ClaudeCode/managed-settings.d'),
    },
    {
      name: 'Windows PowerShell',
      write: target =>
        `New-Item -Force -ItemType Directory '${WINDOWS_FOLDER}' | Out-Null; Set-Content '${WINDOWS_FOLDER}\\tollgate.json' '${gatewayFile(target).replaceAll("'", "''")}'; claude /login`,
    },
  ],
}

const CLAUDE_CODE: ConnectClient = {
  id: 'claude-code',
  name: 'Claude Code',
  preferred: CLAUDE,
  steps: [
    { kind: 'install', command: 'npm install -g @anthropic-ai/claude-code' },
    {
      kind: 'environment',
      blocks: [
        ...environmentBlocks(claudeVariables),
        {
          name: '~/.claude/settings.json',
          write: target => json({ env: Object.fromEntries(claudeVariables(target)) }),
        },
      ],
    },
    { kind: 'run', command: 'claude' },
  ],
  documentation: 'https://code.claude.com/docs/en/llm-gateway',
}

const CODEX_KEY = 'TOLLGATE_API_KEY'

const CODEX: ConnectClient = {
  id: 'codex',
  name: 'Codex',
  preferred: GPT,
  steps: [
    { kind: 'install', command: 'npm install -g @openai/codex' },
    {
      kind: 'file',
      blocks: [
        {
          name: '~/.codex/config.toml',
          // JSON strings are TOML strings.
          write: target => `model = ${JSON.stringify(target.model)}
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${JSON.stringify(openAiUrl(target))}
env_key = "${CODEX_KEY}"
wire_api = "responses"`,
        },
      ],
    },
    { kind: 'environment', blocks: environmentBlocks(({ key }) => [[CODEX_KEY, key]]) },
    { kind: 'run', command: 'codex' },
  ],
  documentation: 'https://developers.openai.com/codex/config-advanced',
}

const GEMINI_CLI: ConnectClient = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  preferred: GEMINI,
  steps: [
    { kind: 'install', command: 'npm install -g @google/gemini-cli' },
    {
      kind: 'file',
      blocks: [
        {
          name: '~/.gemini/settings.json',
          // Without it, a custom address is refused as "Invalid auth method selected".
          write: () => json({ security: { auth: { selectedType: 'gemini-api-key' } } }),
        },
      ],
    },
    {
      kind: 'environment',
      blocks: environmentBlocks(({ address, key, model }) => [
        ['GOOGLE_GEMINI_BASE_URL', address],
        ['GEMINI_API_KEY', key],
        ['GEMINI_MODEL', model],
      ]),
    },
    { kind: 'run', command: 'gemini' },
  ],
  documentation: 'https://geminicli.com/docs/get-started/configuration',
}

const OPENCODE: ConnectClient = {
  id: 'opencode',
  name: 'opencode',
  preferred: [...CLAUDE, ...GPT],
  steps: [
    { kind: 'install', command: 'npm install -g opencode-ai' },
    {
      kind: 'file',
      blocks: [
        {
          name: '~/.config/opencode/opencode.json',
          write: target =>
            json({
              $schema: 'https://opencode.ai/config.json',
              model: `tollgate/${target.model}`,
              provider: {
                tollgate: {
                  npm: '@ai-sdk/openai-compatible',
                  name: 'Tollgate',
                  options: { baseURL: openAiUrl(target), apiKey: target.key },
                  models: { [target.model]: {} },
                },
              },
            }),
        },
      ],
    },
    { kind: 'run', command: 'opencode' },
  ],
  documentation: 'https://opencode.ai/docs/providers/#custom-provider',
}

const keyField = (label: string): SettingsField => ({ label, write: ({ key }) => key, isSecret: true })
const modelField = (label: string): SettingsField => ({ label, write: ({ model }) => model })
const urlField = (label: string): SettingsField => ({ label, write: openAiUrl })

const CURSOR: ConnectClient = {
  id: 'cursor',
  name: 'Cursor',
  preferred: [...GPT, ...CLAUDE],
  steps: [
    {
      kind: 'settings',
      path: 'Cursor Settings → Models → API Keys',
      fields: [
        keyField('OpenAI API Key'),
        urlField('Override OpenAI Base URL'),
        modelField('Add Custom Model'),
      ],
    },
  ],
  documentation: 'https://cursor.com/docs/settings/api-keys',
}

const CLINE: ConnectClient = {
  id: 'cline',
  name: 'Cline',
  preferred: [...CLAUDE, ...GPT],
  steps: [
    {
      kind: 'settings',
      path: 'Cline → Settings → API Configuration',
      fields: [
        { label: 'API Provider', write: () => 'OpenAI Compatible' },
        urlField('Base URL'),
        keyField('OpenAI Compatible API Key'),
        modelField('Model ID'),
      ],
    },
  ],
  documentation: 'https://docs.cline.bot/provider-config/openai-compatible',
}

const CONTINUE: ConnectClient = {
  id: 'continue',
  name: 'Continue',
  preferred: [...CLAUDE, ...GPT],
  steps: [
    {
      kind: 'file',
      blocks: [
        {
          name: '~/.continue/config.yaml',
          // JSON strings are YAML strings.
          write: target => `name: Tollgate
version: 1.0.0
schema: v1
models:
  - name: ${JSON.stringify(target.model)}
    provider: openai
    model: ${JSON.stringify(target.model)}
    apiBase: ${JSON.stringify(openAiUrl(target))}
    apiKey: ${JSON.stringify(target.key)}
    roles: [chat, edit, apply]`,
        },
      ],
    },
  ],
  documentation: 'https://docs.continue.dev/customize/model-providers/top-level/openai',
}

const OPEN_WEBUI: ConnectClient = {
  id: 'open-webui',
  name: 'Open WebUI',
  preferred: GPT,
  steps: [
    {
      kind: 'environment',
      blocks: [
        {
          name: 'Docker',
          write: target => `docker run -d --name open-webui -p 3000:8080 \\
  -v open-webui:/app/backend/data \\
  -e OPENAI_API_BASE_URL=${shellQuote(openAiUrl(target))} \\
  -e OPENAI_API_KEY=${shellQuote(target.key)} \\
  ghcr.io/open-webui/open-webui:main`,
        },
      ],
    },
    {
      kind: 'settings',
      path: 'Admin Panel → Settings → Connections → OpenAI API',
      fields: [urlField('URL'), keyField('Key')],
    },
  ],
  documentation: 'https://docs.openwebui.com/getting-started/quick-start/starting-with-openai-compatible',
}

/** The clients with a configuration of their own, in the order of the page. */
export const CLIENTS: readonly ConnectClient[] = [
  CLAUDE_CODE,
  CODEX,
  GEMINI_CLI,
  OPENCODE,
  CURSOR,
  CLINE,
  CONTINUE,
  OPEN_WEBUI,
]

const CLAUDE_CODE_SIGN_IN: ConnectClient = {
  ...CLAUDE_CODE,
  id: 'claude-code-sign-in',
  name: 'Claude Code (SSO)',
  signsIn: true,
  steps: [{ kind: 'install', command: 'npm install -g @anthropic-ai/claude-code' }, SIGN_IN],
  documentation: 'https://code.claude.com/docs/en/claude-apps-gateway',
}

/** The clients that this installation offers: clients that sign in by device code only where that is on. */
export const clientsOf = ({
  device_sign_in: hasSignIn,
}: Pick<Status, 'device_sign_in'>): readonly ConnectClient[] =>
  hasSignIn
    ? CLIENTS.flatMap(client => (client === CLAUDE_CODE ? [client, CLAUDE_CODE_SIGN_IN] : [client]))
    : CLIENTS
