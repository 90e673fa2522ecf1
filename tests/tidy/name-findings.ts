import { basename } from 'node:path'
import ts from 'typescript'
import { type Finding, isTest, nodesOf, placeOf, type Source } from './source.ts'

const EMPTY_WORDS = /(Manager|Helper|Util|Utils|Service|Handler)$/
const STEM_LETTERS = 4
const NAMED_BY_THEIR_PLACE = /^(index|text|queries|list|main)\.tsx?$|^\d{4}-|\.config\.ts$/

/** Words that say nothing, and files whose name has nothing to do with the one thing they export. */
export function nameFindings(source: Source): readonly Finding[] {
  if (isTest(source) || source.path.endsWith('.mjs')) return []
  const declared = nodesOf(source, isDeclaration)
  return [...emptyWords(source, declared), ...misnamedFile(source, declared)]
}

type Declaration =
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.VariableDeclaration

const isDeclaration = (node: ts.Node): node is Declaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isVariableDeclaration(node)

const nameOf = (declaration: Declaration): string =>
  declaration.name && ts.isIdentifier(declaration.name) ? declaration.name.text : ''

const emptyWords = (source: Source, declared: readonly Declaration[]): readonly Finding[] =>
  declared
    .filter(declaration => EMPTY_WORDS.test(nameOf(declaration)))
    .map(
      declaration =>
        `${placeOf(source, declaration.getStart())} has a name that says nothing: ${nameOf(declaration)}`,
    )

/**
 * A file that exports one thing shares a word with it, or its folder does: `queue.ts` may export `MovementQueue`,
 * `retry.ts` `isWorthRetrying`, `gemini/vendor.ts` `gemini`. Types and constants in capitals go with that thing.
 */
function misnamedFile(source: Source, declared: readonly Declaration[]): readonly Finding[] {
  const exported = declared.filter(isExported)
  const things = exported.filter(isThing).map(nameOf)
  if (things.length !== 1 || NAMED_BY_THEIR_PLACE.test(basename(source.path))) return []
  const own = stemsOf(source.path.split('/').slice(-2).join('-'))
  const isNamedSo = exported.some(declaration =>
    stemsOf(kebabOf(nameOf(declaration))).some(stem => own.includes(stem)),
  )
  return isNamedSo ? [] : [`${source.path} exports ${things[0]}: name the file after it`]
}

const stemsOf = (name: string): readonly string[] =>
  name.split(/[-.]/).map(word => word.slice(0, STEM_LETTERS))

const isThing = (declaration: Declaration): boolean =>
  !ts.isInterfaceDeclaration(declaration) &&
  !ts.isTypeAliasDeclaration(declaration) &&
  !/^[A-Z\d_]+$/.test(nameOf(declaration))

function isExported(declaration: Declaration): boolean {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const hasModifier = (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0
  return hasModifier && ts.isSourceFile(statement.parent)
}

/** `toSSEText` → `to-sse-text`. */
export const kebabOf = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
