import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resetAccessTokenByPost } from '#contract/entities/user.ts'
import { createOrganization } from '#features/organizations/contract/organizations.ts'
import { BASE_COMMANDS } from '#server/cli/commands.ts'
import { commandsOf } from '#server/compose/commands.ts'
import { featuresOf } from '#server/compose/features.ts'
import { loadFeatures } from '#server/compose/modules.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { PROJECT } from '../harness/program.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { askers, type Variables } from './ask-as-client.ts'
import { documents, readSnippets, type Snippet, snippetsIn } from './snippets.ts'

const commands = commandsOf(BASE_COMMANDS, featuresOf(await loadFeatures()))
const LAB_TEXT = 'Hello from the lab'
/** Programs that pages start with a configuration, and that are not installed here: the test reads what they get. */
const CLIENTS = ['claude', 'codex', 'gemini', 'opencode', 'docker']
const SHELL = 'sh'
const NODE = 'js'
const PYTHON = 'python'
const SNIPPET_TIMEOUT_MS = 20_000
/** More need a reason for each, and a look whether they can be run after all. */
const NOT_RUN_MAX = 25

/** Pages in both languages have the same snippets, which run once. */
const snippets = [...new Map(readSnippets().map(snippet => [snippet.code, snippet])).values()]
/** Ends the sessions and access tokens that other snippets use, so it comes last. */
const ENDS_SESSIONS = /root-(password|factors)/
const run = snippets
  .filter(({ check }) => check === 'runs' || check === 'prints')
  .sort((one, other) => Number(ENDS_SESSIONS.test(one.code)) - Number(ENDS_SESSIONS.test(other.code)))
const folder = makeTemporaryFolder()

let site: Site
let key: string
let accessToken: string
let organizationId: number
beforeAll(async () => {
  site = await startSite()
  const channels = [
    { provider: 'openai', models: ['gpt-4o-mini', 'gpt-5.4-mini', 'text-embedding-3-small'] },
    { provider: 'anthropic', models: ['claude-sonnet-5-5'] },
    { provider: 'gemini', models: ['gemini-3.8-flash'] },
  ] as const
  for (const channel of channels) await addLabChannel(site.root, site.lab, channel)
  accessToken = await site.root.call(resetAccessTokenByPost)
  key = `sk-${(await addToken(site.root)).key}`
  await setOptions(site.root, { OrganizationCreators: 'admins' })
  organizationId = (await site.root.call(createOrganization, { body: { name: 'Acme' } })).id
})
afterAll(async () => {
  await site?.stop()
  folder.remove()
})

/** A snippet with the addresses, the key and the folders of the test. */
const filledIn = ({ code }: Snippet): string =>
  code
    .replaceAll('http://localhost:3000', site.gateway.url)
    .replaceAll('http://127.0.0.1:3100', site.lab.url)
    .replaceAll(/sk-your-token/g, key)
    .replaceAll('X-Tollgate-Organization: 12', `X-Tollgate-Organization: ${organizationId}`)
    .replaceAll(/(?<=\s)\/(backups|elsewhere)\//g, `${folder.path}/$1/`)

/** The commands that pages use: the program of this source, and curl that fails with the status. */
const SHELL_COMMANDS = `
curl() { command curl --silent --show-error --fail-with-body "$@"; }
tollgate() { '${process.execPath}' '${join(PROJECT, 'server', 'main.ts')}' "$@"; }
npx() { "$@"; }
${CLIENTS.map(name => `${name}() { printf '%s\\n' "$@"; }`).join('\n')}
`

interface Output {
  readonly code: number
  readonly output: string
}

async function execute(command: readonly string[], place: string, input = ''): Promise<Output> {
  const cwd = join(folder.path, place.replace(/\.md:\d+$/, ''))
  for (const path of [cwd, join(folder.path, 'backups'), join(folder.path, 'elsewhere')])
    mkdirSync(path, { recursive: true })
  const child = Bun.spawn([...command], {
    cwd,
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder.path,
      DATA_DIR: site.gateway.dataDir,
      KEY: key,
      ACCESS_TOKEN: accessToken,
    },
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), SNIPPET_TIMEOUT_MS)
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  clearTimeout(timer)
  return { code, output: output + errors }
}

const runShell = (code: string, place: string): Promise<Output> =>
  execute(['bash', '-e', '-o', 'pipefail', '-c', `${SHELL_COMMANDS}\n${code}`], place)

/** Node finds packages from the folder of a file, so the file is in the project. */
async function runNode(code: string, place: string): Promise<Output> {
  const file = join(PROJECT, 'test-results', 'snippets', `${place.replaceAll(/\W/g, '-')}.mjs`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, code)
  return execute(['node', file], place)
}

const RUNNERS: Readonly<Record<string, (code: string, place: string) => Promise<Output>>> = {
  [SHELL]: runShell,
  [NODE]: runNode,
  [PYTHON]: (code, place) => execute(['python3', '-'], place, code),
}

describe('snippets that run', () => {
  test.each(run.map(snippet => [snippet.place, snippet] as const))('%s', async (_, snippet) => {
    const runner = RUNNERS[snippet.language]
    if (!runner) throw new Error(`no way to run ${snippet.language}: say before it why it is not run`)
    // Python is no requirement of the tests; where it is missing, the snippet is one of those without a network.
    if (snippet.language === PYTHON && !Bun.which('python3')) return
    const { code, output } = await runner(filledIn(snippet), snippet.place)
    expect({ code, output }).toEqual({ code: 0, output })
    if (snippet.check === 'prints') expect(output).toContain(snippet.detail)
  })
})

/** The variables and the arguments of programs that commands leave. Other snippets are files, which leave none. */
async function configurationOf(snippet: Snippet) {
  const code = filledIn(snippet)
  if (snippet.language !== SHELL) return { code, variables: {}, arguments: [] }
  const { output } = await runShell(`${code}\nprintf '\\0'; env -0`, snippet.place)
  const [printed = '', ...pairs] = output.split('\0')
  const variables: Variables = Object.fromEntries(
    pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
  return { code, variables, arguments: printed.split('\n') }
}

describe('configurations of clients', () => {
  const configurations = snippets.filter(({ check }) => check === 'asks')

  test.each(configurations.map(snippet => [snippet.place, snippet] as const))(
    '%s gets an answer',
    async (_, snippet) => {
      const ask = askers({ address: site.gateway.url, key })[snippet.detail]
      if (!ask) throw new Error(`no client ${snippet.detail}`)
      expect(await ask(await configurationOf(snippet))).toContain(LAB_TEXT)
    },
  )
})

describe('snippets that are not run', () => {
  const notRun = snippets.filter(({ check }) => check === 'not run')

  test('are few, and each has a reason', () => {
    expect(notRun.length).toBeLessThanOrEqual(NOT_RUN_MAX)
    expect(notRun.filter(({ detail }) => detail.split(' ').length < 3)).toEqual([])
  })

  test('are commands that a shell can parse', async () => {
    const failed: string[] = []
    for (const { place, code } of notRun.filter(({ language }) => language === SHELL)) {
      const parsed = await execute(['bash', '-n'], place, code)
      if (parsed.code !== 0) failed.push(`${place}: ${parsed.output}`)
    }
    expect(failed).toEqual([])
  })
})

test('commands and options in the text are those of the program', () => {
  const wrong = documents().flatMap(path =>
    [...readFileSync(join(PROJECT, path), 'utf8').matchAll(/`(?:npx )?tollgate ([a-z][^`]*)`/g)]
      .map(([, command = '']) => command)
      .filter(command => !isCommand(command))
      .map(command => `${path}: tollgate ${command}`),
  )
  expect(wrong).toEqual([])
})

/** Whether a command exists and its usage names each of the options. */
function isCommand(command: string): boolean {
  const [name = '', ...rest] = command.split(/\s+/)
  const usage = commands.get(name)?.usage
  return usage !== undefined && rest.filter(word => word.startsWith('--')).every(word => usage.includes(word))
}

describe('the reader of snippets', () => {
  const page = [
    '<!-- prints: hello -->',
    '```sh',
    'echo hello',
    '```',
    '',
    '1. A step',
    '',
    '   ```js',
    '   run()',
    '   ```',
    '',
    '<!-- asks: settings -->',
    '| A | B |',
    '|---|---|',
    '| Key | `sk-1` |',
    '',
  ].join('\n')

  test('finds code, its language, its check and tables of settings', () => {
    expect(snippetsIn('a.md', page)).toEqual([
      { place: 'a.md:2', language: 'sh', code: 'echo hello', check: 'prints', detail: 'hello' },
      { place: 'a.md:8', language: 'js', code: 'run()', check: 'runs', detail: '' },
      {
        place: 'a.md:13',
        language: 'table',
        code: '| A | B |\n|---|---|\n| Key | `sk-1` |',
        check: 'asks',
        detail: 'settings',
      },
    ])
  })
})
