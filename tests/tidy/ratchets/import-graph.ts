import { posix } from 'node:path'
import ts from 'typescript'
import { isTest, type Source } from '../source.ts'

/** An import of one file of the project by another. */
export interface Import {
  readonly from: string
  readonly to: string
  /** Loads the other file at run time; type imports do not. */
  readonly isOfValue: boolean
}

/** All imports and re-exports between files of the project, tests aside, each pair of files once. */
export function importsOf(sources: readonly Source[]): readonly Import[] {
  return sources.filter(source => !isTest(source)).flatMap(importsOfFile)
}

function importsOfFile({ path, tree }: Source): readonly Import[] {
  const found = new Map<string, Import>()
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node)
    const to = specifier && resolve(path, specifier)
    if (to) {
      const isOfValue = isValueImport(node) || found.get(to)?.isOfValue === true
      found.set(to, { from: path, to, isOfValue })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return [...found.values()]
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier)
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isDynamic ? textOf(node.arguments[0]) : undefined
}

const textOf = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteralLike(node) ? node.text : undefined

function resolve(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1)
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined
}

/** The compiler drops an import only when all that it names is marked `type`. */
function isValueImport(node: ts.Node): boolean {
  if (ts.isExportDeclaration(node)) return !node.isTypeOnly
  if (!ts.isImportDeclaration(node)) return true
  const clause = node.importClause
  if (!clause) return true
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return false
  const names = clause.namedBindings
  if (clause.name || !names || !ts.isNamedImports(names)) return true
  return names.elements.some(({ isTypeOnly }) => !isTypeOnly)
}

/** The files that run when a file is loaded: itself and all that it imports by value, directly or not. */
export function valueClosure(imports: readonly Import[], path: string): ReadonlySet<string> {
  const targets = Map.groupBy(
    imports.filter(({ isOfValue }) => isOfValue),
    ({ from }) => from,
  )
  const reached = new Set([path])
  for (const file of reached) for (const { to } of targets.get(file) ?? []) reached.add(to)
  return reached
}
