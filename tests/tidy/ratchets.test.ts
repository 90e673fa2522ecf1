import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copiedPairsPerThousandFiles } from './ratchets/copied-lines.ts'
import { figuresOf } from './ratchets/figures.ts'
import { importsOf, valueClosure } from './ratchets/import-graph.ts'
import { countFilesOfStreamedChat } from './ratchets/streamed-chat.ts'
import limits from './ratchets.json'
import { readSources, sourceOf } from './source.ts'

/**
 * `fixed` limits stay. `falling` limits are lowered as the figures fall: a figure well below its limit fails too, so that no
 * gain is lost again. `RATCHETS=write npm test -- tests/tidy/ratchets.test.ts` lowers them.
 */
const falling: Readonly<Record<string, number>> = limits.falling
const fixed: Readonly<Record<string, number>> = limits.fixed

/** A figure may be this far below its limit, so that not every small change edits the limits. */
const slackOf = (limit: number): number => Math.max(5, Math.floor(limit * 0.1))

const figures: Readonly<Record<string, number>> = {
  ...figuresOf(readSources()),
  'files that a streamed chat runs': await countFilesOfStreamedChat(
    limits.falling['files that a streamed chat runs'],
  ),
}

if (process.env.RATCHETS === 'write') {
  const lowered = Object.entries(falling).map(([name, limit]) => [name, Math.min(figures[name] ?? 0, limit)])
  const text = JSON.stringify({ ...limits, falling: Object.fromEntries(lowered) }, null, 2)
  writeFileSync(join(import.meta.dir, 'ratchets.json'), `${text}\n`)
}

test('every figure has one limit', () => {
  expect([...Object.keys(falling), ...Object.keys(fixed)].sort()).toEqual(Object.keys(figures).sort())
})

test.each(Object.entries(fixed))('%s: at most %d', (name, limit) => {
  expect(figures[name]).toBeLessThanOrEqual(limit)
})

test.each(Object.entries(falling))('%s: at most %d, and not far below', (name, limit) => {
  expect(findingOf(name, { figure: figures[name] ?? Number.NaN, limit })).toBeUndefined()
})

function findingOf(
  name: string,
  { figure, limit }: { readonly figure: number; readonly limit: number },
): string | undefined {
  if (figure > limit) return `${name}: ${figure}, at most ${limit}`
  return figure < limit - slackOf(limit) ? `${name}: lower the number to ${figure}` : undefined
}

describe('the ratchets', () => {
  test('reject a figure above its limit', () => {
    expect(findingOf('files', { figure: 11, limit: 10 })).toBe('files: 11, at most 10')
  })

  test('ask for a lower limit when a figure has fallen', () => {
    expect(findingOf('files', { figure: 4, limit: 10 })).toBe('files: lower the number to 4')
  })

  test('accept a figure at its limit or slightly below', () => {
    expect(findingOf('files', { figure: 10, limit: 10 })).toBeUndefined()
    expect(findingOf('files', { figure: 5, limit: 10 })).toBeUndefined()
    expect(findingOf('lines', { figure: 900, limit: 1000 })).toBeUndefined()
  })
})

describe('the import graph', () => {
  test('follows value imports and leaves out type imports', () => {
    const imports = importsOf([
      sourceOf('server/a.ts', "import { b } from './b.ts'\nimport type { C } from './c.ts'"),
      sourceOf('server/b.ts', "const d = await import('./d.ts')\nexport { e } from '#contract/e.ts'"),
      sourceOf('server/c.ts', "import './f.ts'"),
    ])
    const expected = ['contract/e.ts', 'server/a.ts', 'server/b.ts', 'server/d.ts']
    expect([...valueClosure(imports, 'server/a.ts')].sort()).toEqual(expected)
  })

  test('leaves out the imports of tests', () => {
    expect(importsOf([sourceOf('server/a.test.ts', "import { b } from './b.ts'")])).toEqual([])
  })
})

describe('copied lines', () => {
  const SIX = Array.from({ length: 6 }, (_, at) => `  work(${at})`).join('\n')
  const sources = (...texts: readonly string[]) =>
    texts.map((text, at) => sourceOf(`server/${at}.ts`, `import { work } from './work.ts'\n${text}`))

  test('are pairs of files with six equal lines of code, whatever their indent and comments', () => {
    expect(copiedPairsPerThousandFiles(sources(SIX, `// Again.\n${SIX.replaceAll('  work', 'work')}`))).toBe(
      500,
    )
  })

  test('are not five lines, nor what stands in more than eight files', () => {
    expect(copiedPairsPerThousandFiles(sources(SIX, SIX.slice(0, -10)))).toBe(0)
    expect(copiedPairsPerThousandFiles(sources(...Array.from({ length: 9 }, () => SIX)))).toBe(0)
  })
})
