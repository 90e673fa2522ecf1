import { describe, expect, test } from 'bun:test'
import { boundaryFindings } from './boundary-findings.ts'
import { castFindings } from './cast-findings.ts'
import { clockFindings } from './clock-findings.ts'
import { commentFindings } from './comment-findings.ts'
import { importFindings } from './import-findings.ts'
import { foreignWordFindings, languageFindings } from './language-findings.ts'
import { kebabOf, nameFindings } from './name-findings.ts'
import { providerNameFindings } from './provider-name-findings.ts'
import { type Finding, type Source, sourceOf } from './source.ts'
import { textFindings } from './text-findings.ts'
import { wordingFindings } from './wording-findings.ts'

type Rule = (source: Source) => readonly Finding[]

interface Case {
  readonly rule: Rule
  readonly path: string
  readonly broken: readonly string[]
  readonly kept: readonly string[]
}

const cases: Readonly<Record<string, Case>> = {
  'unfinished work': {
    rule: commentFindings,
    path: 'server/x/a.ts',
    broken: ['// TODO later\nexport const a = 1', '/* FIXME */ export const a = 1'],
    kept: [
      '// Todos are a kind of list.\nexport const a = 1',
      'function a() {\n  // The last one counts.\n  return 1\n}',
    ],
  },
  'reading the time': {
    rule: clockFindings,
    path: 'server/x/a.ts',
    broken: [
      'const a = Date.now()',
      'const a = new Date()',
      'const a = performance.now()',
      'const a = [1].map(Date.now)',
    ],
    kept: ['const a = new Date(5)', 'const a = nowMs()'],
  },
  boundaries: {
    rule: boundaryFindings,
    path: 'server/api/x/index.ts',
    broken: ['Bun.connect({})', 'const a = Bun.env.A', 'new Bun.SQL("x")', 'Bun.serve({})'],
    kept: ['Bun.password.hash("x")'],
  },
  casts: {
    rule: castFindings,
    path: 'server/x/a.ts',
    broken: ['const a = b as string', 'function a() {\n  return b as string\n}'],
    kept: [
      'const a = [1] as const',
      '/** Only called with what `isText` accepted. */\nfunction a() {\n  return b as string\n}',
      '/** Rows are texts. */\nconst a = (b: unknown) => b as string',
    ],
  },
  'foreign words in Chinese texts': {
    rule: foreignWordFindings,
    path: 'features/x/console/text.ts',
    broken: [
      "const zh = { a: '期望 array' }",
      "const a = { zh: '无效 selection：没有', en: 'x' }",
      ['const a = { zh: `无效 $', '{b} record` }'].join(''),
      "const a = { zh: b ? '列表' : '无效 key' }",
    ],
    kept: [
      "const zh = { a: '{count} 个 Token', b: 'JSON：model_mapping', c: '例如 \"any text\"' }",
      "const en = { a: 'any text' }",
    ],
  },
  'texts in the wrong language': {
    rule: languageFindings,
    path: 'server/x/a.ts',
    broken: [
      "const a = { zh: 'the key is dead', en: 'the key is dead' }",
      "const a = { zh: '密钥已失效', en: '密钥已失效' }",
      "const a = { zh: `the channel is dead`, en: '' }",
    ],
    kept: [
      "const a = { zh: '密钥已失效', en: 'the key is dead' }",
      "const a = { zh: 'AppId|Token', en: 'AppId|Token' }",
    ],
  },
  'names that say nothing': {
    rule: nameFindings,
    path: 'server/x/index.ts',
    broken: ['class TokenManager {}', 'const stringUtil = 1', 'interface KeyHelper { a: 1 }'],
    kept: ['class Handle {}', 'const createRelayHandler = 1'],
  },
  'imports of the contract': {
    rule: importFindings,
    path: 'server/api/x/index.ts',
    broken: ["import { a } from '../../../contract/a.ts'"],
    kept: ["import { a } from '#contract/a.ts'", "import { a } from '../contract/a.ts'"],
  },
  'provider names': {
    rule: source => providerNameFindings(source, ['ali', 'zhipu-v4', 'openai']),
    path: 'server/relay/x.ts',
    broken: [
      "const a = provider.name === 'Ali'",
      'function toAliBody() {}',
      'const a = /^ali-/',
      'const zhipuV4 = 26',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is the case
      'const a = `https://api.ali.example/${b}`',
    ],
    kept: ['// Ali counts otherwise.\nconst a = 1', 'const alias = 1', "const a = client.name === 'openai'"],
  },
  'text in components': {
    rule: textFindings,
    path: 'console/screens/x/page.tsx',
    broken: ['const a = <p>令牌</p>'],
    kept: ["const a = <p>{t('title')}</p>"],
  },
  'words that the others do not use': {
    rule: wordingFindings,
    path: 'console/screens/x/text.ts',
    broken: [
      "const en = { a: 'Enter your e-mail' }",
      "const en: English<typeof zh> = { a: 'Log in' }",
      "const en = { a: 'Please wait' }",
      "const en = { a: 'Saved!' }",
      "const en = { a: 'Loading...' }",
      "const zh = { a: '你的令牌' }",
      "const a = { zh: '账号不存在', en: 'no such account' }",
      "const a = { zh: '令牌无效', en: 'the user name is taken' }",
      "const a = { zh: '令牌无效', en: 'registration is closed' }",
      "const a = { zh: '令牌无效', en: 'there is no task id' }",
      "const a = { zh: '令牌无效', en: 'too many requests, try again later' }",
      "const unitEn = { a: 'Images of the vendor' }",
      "const unitZh = { a: '提供商' }",
      "const zh = { a: '创建成功,请复制' }",
      "const zh = { a: '兑换码ID' }",
      "const zh = { a: '百万 token' }",
      "const zh = { a: '请输入用户名！' }",
      "const zh = { nameHelp: '最多 20 个字符' }",
      "const en = { key_help: 'At most 20 characters' }",
    ],
    kept: [
      "const en = { a: 'Enter your email', b: 'Sign in', c: 'Loading…', d: '{a} != {b}', nameHelp: 'One.' }",
      "const en = { a: 'If this was not you, contact the administrator.', b: '{id} of task_id' }",
      "const zh = { login: '您的账户', key: '服务账号', done: '登录成功！', nameHelp: '前往 {name}。' }",
      "const zh = { signedOut: '注销成功!', of: '{tokens} 个 Token，用时 3 秒' }",
      "const path = '/api/user/login'",
    ],
  },
}

for (const [name, { rule, path, broken, kept }] of Object.entries(cases)) {
  describe(name, () => {
    test.each(broken.map(text => [text]))('finds %j', text => {
      expect(rule(sourceOf(path, text))).toHaveLength(1)
    })
    test.each(kept.map(text => [text]))('accepts %j', text => {
      expect(rule(sourceOf(path, text))).toEqual([])
    })
  })
}

test('turns camelCase names into kebab-case file names', () => {
  expect(['reserve', 'toAnthropicBody', 'openSSE', 'SSEReader', 'v2Path'].map(kebabOf)).toEqual([
    'reserve',
    'to-anthropic-body',
    'open-sse',
    'sse-reader',
    'v2-path',
  ])
})
