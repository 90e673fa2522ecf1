import ts from 'typescript'
import { type Finding, isTest, nodesOf, placeOf, type Source } from './source.ts'

/** `Handler` is not among them: Hono and the web platform call a function from request to response so. */
const EMPTY_WORDS = /(Manager|Helper|Util|Utils|Service)$/

/** Names that end in a word that says nothing. */
export function nameFindings(source: Source): readonly Finding[] {
  if (isTest(source) || source.path.endsWith('.mjs')) return []
  return emptyWords(source, nodesOf(source, isDeclaration))
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

/** `toSSEText` → `to-sse-text`. */
export const kebabOf = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
