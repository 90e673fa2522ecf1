import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { z } from 'zod'
import { firstCallSnippets } from '#console/app/snippets/first-call.ts'
import {
  CLIENTS,
  type ConnectClient,
  type ConnectTarget,
  clientsOf,
} from '#features/connect/console/clients.ts'
import { type DialectSite, KINDS, SENTENCE, startDialectSite } from '../harness/dialect-site.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'

/**
 * The configurations of the console's Connect page, read the way each client reads them and then used for a request. The
 * clients themselves are not installed here.
 */
const EMBEDDER = 'gemini-embedding-001'
const [OPENAI, ANTHROPIC, GEMINI] = KINDS
const UNIX = 'macOS / Linux'

let site: DialectSite

beforeAll(async () => {
  site = await startDialectSite([EMBEDDER])
})

afterAll(() => site?.stop())

const targetOf = (model: string): ConnectTarget => ({
  address: site.gateway.url,
  key: site.key,
  model,
  smallModel: model,
})

function clientOf(id: string): ConnectClient {
  const client = CLIENTS.find(candidate => candidate.id === id)
  if (!client) throw new Error(`no client ${id}`)
  return client
}

/** The block of a client with this name, written for the target. */
function block(id: string, name: string, target: ConnectTarget): string {
  const blocks = clientOf(id).steps.flatMap(step =>
    step.kind === 'file' || step.kind === 'environment' ? step.blocks : [],
  )
  const found = blocks.find(candidate => candidate.name === name)
  if (!found) throw new Error(`no block ${name} of ${id}`)
  return found.write(target)
}

/** The values that a client's settings form takes, by their labels. */
const settingsOf = (id: string, target: ConnectTarget): Readonly<Record<string, string>> =>
  Object.fromEntries(
    clientOf(id).steps.flatMap(step =>
      step.kind === 'settings' ? step.fields.map(({ label, write }) => [label, write(target)]) : [],
    ),
  )

interface ProgramOptions {
  readonly input?: string
}

async function run(command: readonly string[], { input = '' }: ProgramOptions = {}): Promise<string> {
  const child = Bun.spawn([...command], { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${errors}`)
  return output
}

/** The variables that a shell has after it ran the commands. */
async function environmentAfter(commands: string): Promise<Readonly<Record<string, string>>> {
  const output = await run(['bash', '-c', `${commands}\nenv -0`])
  return Object.fromEntries(
    output.split('\0').map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

async function askOpenAi(baseURL: string | undefined, apiKey: string | undefined, model: string) {
  const reply = await new OpenAI({ baseURL, apiKey, maxRetries: 0 }).chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  return reply.choices[0]?.message.content
}

describe('Claude Code', () => {
  const askWith = async (variables: Readonly<Record<string, string>>) => {
    const client = new Anthropic({
      baseURL: variables.ANTHROPIC_BASE_URL,
      authToken: variables.ANTHROPIC_AUTH_TOKEN,
      apiKey: null,
      maxRetries: 0,
    })
    const model = variables.ANTHROPIC_MODEL ?? ''
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    const { content } = await client.messages.create({ model, max_tokens: 100, messages })
    return content
  }

  test('answers with the variables of the shell', async () => {
    const commands = block('claude-code', UNIX, targetOf(ANTHROPIC.model))
    expect(await askWith(await environmentAfter(commands))).toMatchObject([{ text: SENTENCE }])
  })

  test('answers with the settings file', async () => {
    const file = block('claude-code', '~/.claude/settings.json', targetOf(ANTHROPIC.model))
    const { env } = z.object({ env: z.record(z.string(), z.string()) }).parse(JSON.parse(file))
    expect(await askWith(env)).toMatchObject([{ text: SENTENCE }])
  })
})

test('Codex answers through the Responses API with its file and its variable', async () => {
  const target = targetOf(OPENAI.model)
  const Config = z.object({
    model: z.string(),
    model_provider: z.string(),
    model_providers: z.record(
      z.string(),
      z.object({ base_url: z.string(), env_key: z.string(), wire_api: z.literal('responses') }),
    ),
  })
  const config = Config.parse(Bun.TOML.parse(block('codex', '~/.codex/config.toml', target)))
  const provider = config.model_providers[config.model_provider]
  const variables = await environmentAfter(block('codex', UNIX, target))
  const client = new OpenAI({
    baseURL: provider?.base_url,
    apiKey: variables[provider?.env_key ?? ''],
    maxRetries: 0,
  })
  const reply = await client.responses.create({ model: config.model, input: 'Hello' })
  expect(reply.output_text).toBe(SENTENCE)
})

test('Gemini CLI answers with the variables of the shell', async () => {
  const variables = await environmentAfter(block('gemini-cli', UNIX, targetOf(GEMINI.model)))
  const client = new GoogleGenAI({
    apiKey: variables.GEMINI_API_KEY ?? '',
    httpOptions: { baseUrl: variables.GOOGLE_GEMINI_BASE_URL ?? '' },
  })
  const model = variables.GEMINI_MODEL ?? ''
  expect((await client.models.generateContent({ model, contents: 'Hello' })).text).toBe(SENTENCE)
})

test('opencode answers with its file', async () => {
  const Config = z.object({
    model: z.string(),
    provider: z.object({
      tollgate: z.object({
        options: z.object({ baseURL: z.string(), apiKey: z.string() }),
        models: z.record(z.string(), z.object({})),
      }),
    }),
  })
  const file = block('opencode', '~/.config/opencode/opencode.json', targetOf(OPENAI.model))
  const { model, provider } = Config.parse(JSON.parse(file))
  const { options, models } = provider.tollgate
  const name = model.replace('tollgate/', '')
  expect(Object.keys(models)).toEqual([name])
  expect(await askOpenAi(options.baseURL, options.apiKey, name)).toBe(SENTENCE)
})

test('Continue answers with its file', async () => {
  const Config = z.object({
    models: z.tuple([z.object({ model: z.string(), apiBase: z.string(), apiKey: z.string() })]),
  })
  const file = block('continue', '~/.continue/config.yaml', targetOf(OPENAI.model))
  const [{ model, apiBase, apiKey }] = Config.parse(Bun.YAML.parse(file)).models
  expect(await askOpenAi(apiBase, apiKey, model)).toBe(SENTENCE)
})

test('Cursor and Cline answer with the values of their settings', async () => {
  const target = targetOf(OPENAI.model)
  const cursor = settingsOf('cursor', target)
  const cline = settingsOf('cline', target)
  expect(
    await askOpenAi(
      cursor['Override OpenAI Base URL'],
      cursor['OpenAI API Key'],
      cursor['Add Custom Model'] ?? '',
    ),
  ).toBe(SENTENCE)
  expect(
    await askOpenAi(cline['Base URL'], cline['OpenAI Compatible API Key'], cline['Model ID'] ?? ''),
  ).toBe(SENTENCE)
})

test('Open WebUI gets its address and key from the Docker command, and from its settings', async () => {
  const target = targetOf(OPENAI.model)
  const printArguments = 'docker() { printf "%s\\n" "$@"; }'
  const output = await run(['bash', '-c', `${printArguments}\n${block('open-webui', 'Docker', target)}`])
  const variable = (name: string) =>
    output
      .split('\n')
      .find(line => line.startsWith(`${name}=`))
      ?.slice(name.length + 1)
  expect(await askOpenAi(variable('OPENAI_API_BASE_URL'), variable('OPENAI_API_KEY'), target.model)).toBe(
    SENTENCE,
  )
  const settings = settingsOf('open-webui', target)
  expect(await askOpenAi(settings.URL, settings.Key, target.model)).toBe(SENTENCE)
})

describe('the first call', () => {
  const copied = (model: string, name: string): string =>
    firstCallSnippets(targetOf(model)).find(snippet => snippet.name === name)?.copied ?? ''

  test('runs in a shell, for a chat model and for an embedding model', async () => {
    const chat = await run(['bash', '-c', `${copied(OPENAI.model, 'curl')} --silent --fail`])
    expect(JSON.parse(chat)).toMatchObject({ choices: [{ message: { content: SENTENCE } }] })
    const embedding = await run(['bash', '-c', `${copied(EMBEDDER, 'curl')} --silent --fail`])
    expect(JSON.parse(embedding)).toMatchObject({ object: 'list', data: [{ object: 'embedding' }] })
  })

  test('runs in Node, for a chat model and for an embedding model', async () => {
    const node = ['node', '--input-type=module']
    expect(await run(node, { input: copied(OPENAI.model, 'Node') })).toBe(`${SENTENCE}\n`)
    expect(Number(await run(node, { input: copied(EMBEDDER, 'Node') }))).toBeGreaterThan(0)
  })

  test('names the endpoint of each kind of model', () => {
    const paths = {
      'gpt-4o': '/v1/chat/completions',
      'text-embedding-3-small': '/v1/embeddings',
      'bge-reranker-v2-m3': '/v1/rerank',
      'dall-e-3': '/v1/images/generations',
      'gpt-4o-mini-tts': '/v1/audio/speech',
      'gpt-4o-transcribe': '/v1/audio/transcriptions',
      'omni-moderation-latest': '/v1/moderations',
      mj_imagine: '/mj/submit/imagine',
      suno_lyrics: '/suno/submit/lyrics',
    }
    for (const [model, path] of Object.entries(paths))
      expect(copied(model, 'curl')).toContain(`'${site.gateway.url}${path}'`)
  })
})

test('the command that signs Claude Code in stores the gateway beside other managed settings', async () => {
  const client = clientsOf({ device_sign_in: true }).find(({ signsIn }) => signsIn)
  const [step] = client?.steps.filter(({ kind }) => kind === 'signIn') ?? []
  const linux = step?.kind === 'signIn' ? step.blocks[0] : undefined
  const folder = makeTemporaryFolder()
  const command = linux?.write(targetOf('')).replaceAll('/etc/claude-code', folder.path) ?? ''
  const shims = 'sudo() { "$@"; }; claude() { echo "claude $1"; }'
  expect(await Bun.$`sh -c ${`${shims}; ${command}`}`.text()).toEndWith('claude /login\n')
  expect(await Bun.file(`${folder.path}/managed-settings.d/tollgate.json`).json()).toEqual({
    forceLoginMethod: 'gateway',
    forceLoginGatewayUrl: site.gateway.url,
  })
  folder.remove()
  expect(clientsOf({ device_sign_in: false })).toEqual(CLIENTS)
})

test('a name and a key with quotes stay one value in every shell and file', async () => {
  const target = { ...targetOf(`it's "new"`), key: `sk-a'b` }
  const variables = await environmentAfter(block('claude-code', UNIX, target))
  expect(variables).toMatchObject({ ANTHROPIC_MODEL: `it's "new"`, ANTHROPIC_AUTH_TOKEN: `sk-a'b` })
  expect(block('claude-code', 'Windows PowerShell', target)).toContain(`'it''s "new"'`)
  expect(Bun.TOML.parse(block('codex', '~/.codex/config.toml', target))).toMatchObject({
    model: `it's "new"`,
  })
})
