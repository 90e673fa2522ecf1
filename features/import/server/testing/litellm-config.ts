import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '#server/db/engine/database.ts'
import type { Send } from '#server/http-client/send.ts'
import { labFetch } from '#server/lab/open-lab.ts'
import { receivedBody, receivedResponse } from '#server/testing/received-response.ts'
import type { ImportReport } from '../import-report.ts'
import { source } from '../sources/litellm/index.ts'
import { openTestImport } from './test-import.ts'

const OLLAMA = join(import.meta.dir, '../../../../server/providers/ollama/fixtures')
const ollama = (name: string) => readFileSync(join(OLLAMA, `${name}.json`), 'utf8')

/** How the fault lab is asked in place of a provider that has paths of its own. */
const LAB_PATHS: readonly (readonly [RegExp, string])[] = [
  [/\/model\/([^/]+)\/invoke$/, '/v1/messages'],
  [/\/publishers\/anthropic\/models\/([^/]+):rawPredict$/, '/v1/messages'],
  [/\/publishers\/google(\/models\/[^/]+:generateContent)$/, '/v1beta$1'],
  [/\/(chat\/completions|embeddings|messages)$/, '/v1/$1'],
  [/(\/models\/[^/]+:\w+)$/, '/v1beta$1'],
]

/** What the lab does not have: recorded responses of Ollama, and the token of a service account. */
const RECORDED: readonly (readonly [RegExp, () => string])[] = [
  [/\/api\/chat$/, () => ollama('api-chat')],
  [/\/api\/embed$/, () => ollama('api-embed')],
  [/oauth2\.googleapis\.com\/token$/, () => '{"access_token":"t","expires_in":3600,"token_type":"Bearer"}'],
]

/** The fault lab in place of every provider: the end of a path says what is asked. */
const sendToLab: Send = async request => {
  const { pathname, host, protocol } = new URL(request.url)
  const recorded = RECORDED.find(([path]) => path.test(host + pathname))
  if (recorded) return receivedResponse(Response.json(JSON.parse(recorded[1]())))
  const [fault = ''] = /\/fault\/[\w-]+/.exec(pathname) ?? []
  const [path, place] = LAB_PATHS.find(([known]) => known.test(pathname)) ?? [/.*/, '$&']
  const [found = '', model] = path.exec(pathname) ?? []
  const url = `http://lab.test${fault}${found.replace(path, place)}`
  const text = receivedBody(request.body)
  const isClaude = model !== undefined && place === '/v1/messages'
  const body = isClaude ? claudeBody(String(text), model) : text
  const headers = keyHeaders(new Headers(request.headers), {
    isClaude,
    isFree: protocol === 'http:' || 'sign' in request,
  })
  const init = { method: request.method ?? 'POST', headers, ...(body !== undefined && { body }) }
  return receivedResponse(await labFetch(new Request(url, init)))
}

/** At Bedrock and Vertex AI the path names the model of Claude, and the body the version of the API. */
function claudeBody(text: string, model: string): string {
  const { anthropic_version: _, ...body } = JSON.parse(text)
  return JSON.stringify({ ...body, model })
}

interface ProviderTraits {
  readonly isClaude: boolean
  /** Servers in the own network need no key; a signature replaces it at Bedrock. */
  readonly isFree: boolean
}

/** The lab takes keys where the makers of the formats do. */
function keyHeaders(headers: Headers, { isClaude, isFree }: ProviderTraits): Headers {
  const key = headers.get('authorization') ?? headers.get('api-key') ?? (isFree ? 'none' : undefined)
  if (key === undefined) return headers
  if (isClaude) headers.set('anthropic-version', '2023-06-01')
  headers.set('x-api-key', key)
  headers.set('x-goog-api-key', key)
  headers.set('authorization', `Bearer ${key.replace(/^Bearer /, '')}`)
  return headers
}

interface ImportedConfig {
  /** Names of models that did not come, or came with something to look at. */
  readonly questions: readonly string[]
  /** Names of enabled channels that answered a probe without a question. */
  readonly responding: readonly string[]
  readonly report: ImportReport
}

interface ConfigFiles {
  /** By their places below the folder; `config.yaml` is the source. */
  readonly files: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>> | undefined
}

export interface ConfigImporter {
  readonly db: Database
  run(config: ConfigFiles): Promise<ImportedConfig>
  close(): Promise<void>
}

/** Imports configurations of LiteLLM into an empty database and asks each channel once. */
export async function openConfigImporter(): Promise<ConfigImporter> {
  const target = await openTestImport(sendToLab)
  const { db, close } = target
  return {
    db,
    close,
    async run({ files, variables = {} }) {
      for (const [name, text] of Object.entries(files)) target.writeFile(name, text)
      const request = { isProbed: true, variable: (name: string) => variables[name] }
      const report = await target.run(join(target.folder, 'config.yaml'), [source], request)
      const channels = report.tables.get('channels')
      const namesOf = (list: 'skipped' | 'questions') => (channels?.[list].rows ?? []).map(({ name }) => name)
      const questions = [...new Set([...namesOf('skipped'), ...namesOf('questions')])].sort()
      const brought = await db.selectFrom('channels').select(['name', 'status']).execute()
      const responding = brought.filter(({ name, status }) => status === 1 && !questions.includes(name))
      return { questions, responding: responding.map(({ name }) => name).sort(), report }
    },
  }
}
