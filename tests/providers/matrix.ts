import type { ChatBody } from '#server/provider-kit/contract/chat.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import type { Expectation, ProviderFixtures } from './provider-fixtures.ts'

/** One provider with its fixtures and the features of its own API, by column name. */
export interface Row {
  readonly provider: Provider
  readonly fixtures: ProviderFixtures
  readonly api: readonly string[]
}

/** `isProven`: the manifest has the member, and a fixture or a generated request proves that it works. */
interface Column {
  readonly name: string
  /** The manifest member. */
  readonly member: string
  isProven(row: Row): boolean
}

const has =
  (test: (expected: Expectation, file: string) => boolean) =>
  ({ fixtures }: Row): boolean =>
    [...fixtures.expectations].some(([file, expected]) => test(expected, file))

const isResponse = ({ content, error }: Expectation): boolean => content !== undefined && error === undefined
const hasResponded = has((expected, file) => isResponse(expected) && file.endsWith('.json'))
const wasStreamed = has((expected, file) => isResponse(expected) && !file.endsWith('.json'))

/** A column for an operation with its own manifest member and its own field in `expect.json`. */
const operation = (name: string, member: string, field: string): Column => ({
  name,
  member,
  isProven: row => member in row.provider && has(expected => field in expected)(row),
})

/** A column for an operation that fixtures name. */
const recorded = (name: string, member: keyof Provider): Column => ({
  name,
  member,
  isProven: row => row.provider[member] !== undefined && has(expected => expected.operation === member)(row),
})

const chat = (name: string, isProven: Column['isProven']): Column => ({ name, member: 'chat', isProven })

export const columns: readonly Column[] = [
  chat('chat', row => hasResponded(row) || wasStreamed(row)),
  chat('stream', row => row.provider.chat?.stream !== undefined && wasStreamed(row)),
  chat(
    'tools',
    has(({ tool_calls }) => tool_calls !== undefined && tool_calls.length > 0),
  ),
  chat('image input', row => row.api.includes('image input') && acceptsImages(row)),
  recorded('completions', 'completions'),
  operation('embeddings', 'embeddings', 'vectors'),
  recorded('images', 'images'),
  recorded('image edits', 'imageEdits'),
  recorded('image variations', 'imageVariations'),
  recorded('speech', 'speech'),
  { name: 'voices', member: 'voices', isProven: ({ provider }) => provider.voices !== undefined },
  recorded('transcription', 'transcription'),
  recorded('translation', 'translation'),
  recorded('rerank', 'rerank'),
  recorded('moderation', 'moderation'),
  operation('realtime', 'realtime', 'realtime'),
  operation('tasks', 'task', 'receipt'),
  operation('token count', 'tokenCount', 'tokens'),
  operation('model list', 'listModels', 'models'),
  operation('balance', 'balance', 'amount'),
]

const IMAGE_URL = 'https://images.example/a.png'
const BASE64 = 'iVBORw0KGgo'

/** By URL or as base64. Some providers accept images for some of their models only. */
function acceptsImages({ provider, fixtures }: Row): boolean {
  const recordedModels = [...fixtures.expectations.values()].flatMap(({ model }) => model ?? [])
  return [...recordedModels, ...provider.models, 'MODEL'].some(model =>
    [IMAGE_URL, `data:image/png;base64,${BASE64}`].some(url =>
      showsImage({ provider, fixtures, model, url }),
    ),
  )
}

interface DocumentedRequest extends Pick<Row, 'provider' | 'fixtures'> {
  readonly model: string
  readonly url: string
}

function showsImage({ provider, fixtures, model, url }: DocumentedRequest): boolean {
  const text = { type: 'text' as const, text: 'What is this?' }
  const content = [{ type: 'image_url' as const, image_url: { url } }, text]
  const body: ChatBody = { model, messages: [{ role: 'user', content }] }
  try {
    const requestBody = String(provider.chat?.request(fixtures.callOf(body, model)).body)
    return requestBody.includes(BASE64) || requestBody.includes(IMAGE_URL)
  } catch {
    return false
  }
}

const PROVEN = '●'
const MISSING = '○'

function cellOf({ name, isProven }: Column, row: Row): string {
  if (isProven(row)) return PROVEN
  return row.api.includes(name) ? MISSING : ''
}

/** The dialects whose bytes pass through unchanged. */
function dialectsOf({ chat, native }: Provider): string {
  const dialects = new Set([...(chat?.nativeFormat ? [chat.nativeFormat] : []), ...Object.keys(native ?? {})])
  return [...dialects].join(' ')
}

/** The titles of the Chinese page, by those of the English one. */
const TITLES_ZH: Readonly<Record<string, string>> = {
  type: '类型',
  provider: '供应商',
  chat: '对话',
  stream: '流式',
  tools: '工具',
  'image input': '图片输入',
  completions: '文本补全',
  embeddings: '嵌入',
  images: '图片',
  'image edits': '图片编辑',
  'image variations': '图片变体',
  speech: '语音合成',
  voices: '音色',
  transcription: '转写',
  translation: '翻译',
  rerank: '重排序',
  moderation: '内容审核',
  realtime: '实时',
  tasks: '任务',
  'token count': 'Token 计数',
  'model list': '模型列表',
  balance: '余额',
  errors: '错误',
  passthrough: '原样传递',
}

/** The table of `docs/reference/providers.md`, or that of the page in Chinese. */
export function toMatrix(rows: readonly Row[], isChinese: boolean): string {
  const words = ['type', 'provider', ...columns.map(({ name }) => name), 'errors', 'passthrough']
  const titles = isChinese ? words.map(word => TITLES_ZH[word] ?? word) : words
  const lines = rows.map(row => [
    row.provider.type,
    (isChinese && row.provider.nameZh) || row.provider.name,
    ...columns.map(column => cellOf(column, row)),
    row.fixtures.errors.length,
    dialectsOf(row.provider),
  ])
  return [titles, titles.map(() => '---'), ...lines].map(line => `| ${line.join(' | ')} |`).join('\n')
}
