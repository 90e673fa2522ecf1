import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'

/** How a snippet is tested, said in a comment before it: `<!-- prints: TEXT -->`. Without a comment it must only succeed. */
export type Check = 'runs' | 'prints' | 'asks' | 'not run'

/** A code block or a table of settings in a document. */
export interface Snippet {
  /** `docs/clients/curl.md:12`. */
  readonly place: string
  readonly language: string
  readonly code: string
  readonly check: Check
  /** What it prints, the client that reads it, or why it is not run. */
  readonly detail: string
}

/** Pages for people who work on Tollgate: their commands need its source. */
const INTERNAL = /^docs\/(architecture|internal)\//
const COMMENT = /^<!-- (prints|asks|not run): (.+) -->$/
const FENCE = /^```(\w*)/
const INDENT = /^ */

/** The documents whose snippets are tested: the pages of the site, and the README in both languages. */
export const documents = (): readonly string[] => [
  ...readdirSync(PROJECT).filter(name => /^README.*\.md$/.test(name)),
  ...readdirSync(join(PROJECT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md') && !name.startsWith('.'))
    .map(name => `docs/${name}`)
    .filter(path => !INTERNAL.test(path))
    .sort(),
]

export const readSnippets = (): readonly Snippet[] =>
  documents().flatMap(path => snippetsIn(path, readFileSync(join(PROJECT, path), 'utf8')))

export function snippetsIn(path: string, text: string): readonly Snippet[] {
  const lines = text.split('\n')
  const found: Snippet[] = []
  let index = 0
  while (index < lines.length) {
    const block = blockAt(lines, index)
    if (block) found.push({ place: `${path}:${index + 1}`, ...block.snippet })
    index = (block?.end ?? index) + 1
  }
  return found
}

/** The snippet that begins at a line, and the index of its last line. */
function blockAt(lines: readonly string[], index: number) {
  const line = lines[index] ?? ''
  const comment = commentBefore(lines, index)
  const [, language] = FENCE.exec(line.trim()) ?? []
  if (language !== undefined) {
    const { length } = INDENT.exec(line)?.[0] ?? ''
    const end = lines.findIndex((other, at) => at > index && other.trim() === '```')
    const code = lines.slice(index + 1, end).map(each => each.slice(length))
    return { end, snippet: { language, code: code.join('\n'), ...(comment ?? RUNS) } }
  }
  if (comment?.detail !== 'settings') return undefined
  const end = lines.indexOf('', index)
  return { end, snippet: { language: 'table', code: lines.slice(index, end).join('\n'), ...comment } }
}

const RUNS = { check: 'runs', detail: '' } as const

function commentBefore(
  lines: readonly string[],
  index: number,
): { readonly check: Check; readonly detail: string } | undefined {
  const [, check, detail = ''] = COMMENT.exec((lines[index - 1] ?? '').trim()) ?? []
  return check === 'prints' || check === 'asks' || check === 'not run' ? { check, detail } : undefined
}
