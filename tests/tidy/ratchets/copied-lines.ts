import ts from 'typescript'
import type { Source } from '../source.ts'

const WINDOW = 6
/** What stands in more places is an idiom. */
const PLACES_MAX = 8
/** Punctuation and comments prove nothing. */
const NO_CODE = /^([\s{}()[\];,:.]*|\/\/.*|\/?\*.*)$/
/** Landed migrations are never edited. */
const MIGRATION = /\/migrations\//

/** Pairs of files that have six lines of code in common, for each thousand files. Imports do not count. */
export function copiedPairsPerThousandFiles(sources: readonly Source[]): number {
  const places = new Map<string, Set<string>>()
  for (const source of sources.filter(({ path }) => !MIGRATION.test(path)))
    for (const text of windowsOf(codeLinesOf(source))) {
      const paths = places.get(text)
      if (paths) paths.add(source.path)
      else places.set(text, new Set([source.path]))
    }
  const copies = [...places.values()].filter(({ size }) => size > 1 && size <= PLACES_MAX)
  const pairs = new Set(copies.flatMap(paths => pairsOf([...paths])))
  return Math.ceil((pairs.size * 1000) / sources.length)
}

function* windowsOf(lines: readonly string[]): Generator<string> {
  for (let at = 0; at + WINDOW <= lines.length; at += 1) yield lines.slice(at, at + WINDOW).join('\n')
}

function codeLinesOf({ tree }: Source): readonly string[] {
  const lineOf = (position: number): number => tree.getLineAndCharacterOfPosition(position).line
  const lines: (string | undefined)[] = tree.text.split('\n').map(line => line.trim())
  for (const statement of tree.statements)
    if (ts.isImportDeclaration(statement))
      lines.fill(undefined, lineOf(statement.getStart(tree)), lineOf(statement.end) + 1)
  return lines.filter(line => line !== undefined).filter(line => !NO_CODE.test(line))
}

const pairsOf = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((one, at) => paths.slice(at + 1).map(other => [one, other].sort().join(' ')))
