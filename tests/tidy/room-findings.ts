import { posix } from 'node:path'
import ts from 'typescript'
import { type Finding, isProgram, isServer, isTest, nodesOf, placeOf, type Source } from './source.ts'

const FOLDER_FILES_MAX = 25
const SMALL_FILE_LINES = 20

/** Files that their folder's convention or a build script asks for, however short: manifests, texts, entry points and the like. */
const REQUIRED_BY_CONVENTION =
  /\/index\.tsx?$|^features\/[^/]+\/((contract|options)\.ts$|migrations\/)|\/(text|queries)\.ts$|\/page\.tsx$|\/errors\.ts$|^server\/relay\/hook-order\.ts$|^server\/(main|http\/relay-path|providers\/|dialects\/|db\/migrations\/)|^server\/.*-thread\.ts$|^console\/main\.tsx$|\.d\.ts$/

/** Type names that may be declared more than once in `server/`, and why. */
export const TYPES_DECLARED_TWICE: Readonly<Record<string, string>> = {
  Database: 'a migration that has landed is never edited, and the first one declares its own',
}

/** Folders with more source files than a reader can hold in view. Tests, texts, migrations and providers do not count. */
export function crowdedFolders(sources: readonly Source[]): readonly Finding[] {
  const counts = new Map<string, number>()
  for (const { path } of sources.filter(isCounted)) {
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, files]) => files > FOLDER_FILES_MAX)
    .map(
      ([folder, files]) => `${folder} holds ${files} source files, at most ${FOLDER_FILES_MAX} fit in view`,
    )
}

const isCounted = (source: Source): boolean =>
  !isTest(source) && !/\/text\.ts$|\/migrations\/|^server\/providers\//.test(source.path)

/** Files of a few lines that a single file imports: they belong into it. */
export function smallFilesWithOneImporter(sources: readonly Source[]): readonly Finding[] {
  const importers = importersOf(sources)
  return sources
    .filter(source => isProgram(source) && !isTest(source))
    .filter(({ path }) => !REQUIRED_BY_CONVENTION.test(path))
    .filter(({ tree }) => linesOf(tree) <= SMALL_FILE_LINES)
    .flatMap(({ path, tree }) => {
      const [only, ...others] = importers.get(path) ?? []
      return only && others.length === 0
        ? [`${path} has ${linesOf(tree)} lines and one importer: fold it into ${only}`]
        : []
    })
}

const linesOf = (tree: ts.SourceFile): number => tree.text.trimEnd().split('\n').length

/** For each file the files that import it, tests aside. */
function importersOf(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const source of sources.filter(source => !isTest(source)))
    for (const path of new Set(ownImportsOf(source)))
      importers.set(path, [...(importers.get(path) ?? []), source.path])
  return importers
}

/** The project's own files that a file imports, statically or not. */
function ownImportsOf({ path, tree }: Source): readonly string[] {
  const specifiers: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && isModuleName(node)) specifiers.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return specifiers.flatMap(specifier => {
    if (specifier.startsWith('#')) return [specifier.slice(1)]
    return specifier.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : []
  })
}

const isModuleName = ({ parent }: ts.Node): boolean =>
  ts.isImportDeclaration(parent) ||
  ts.isExportDeclaration(parent) ||
  (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword)

/** Own files imported in 100 lines of code, tests aside. */
export function importsPer100Lines(sources: readonly Source[]): number {
  const counted = sources.filter(source => !isTest(source))
  const lines = counted.reduce((sum, { tree }) => sum + linesOf(tree), 0)
  const imports = counted.reduce((sum, source) => sum + ownImportsOf(source).length, 0)
  return (imports / Math.max(lines, 1)) * 100
}

/** Type names that two files of the server declare: a reader cannot tell which one is meant. */
export function typesDeclaredTwice(sources: readonly Source[]): readonly Finding[] {
  const places = new Map<string, string[]>()
  for (const source of sources.filter(isServer).filter(s => !isTest(s)))
    for (const node of nodesOf(source, isTypeDeclaration))
      places.set(node.name.text, [...(places.get(node.name.text) ?? []), placeOf(source, node.getStart())])
  return [...places]
    .filter(([name, found]) => found.length > 1 && !Object.hasOwn(TYPES_DECLARED_TWICE, name))
    .map(([name, found]) => `type ${name} is declared ${found.length} times: ${found.join(', ')}`)
}

/** Folders whose files export the same names by convention, because a manifest or a table reads each as a whole. */
const NAMES_BY_CONVENTION = /^server\/(providers|dialects|lab|provider-kit\/[^/]+)\//
/** Names that every folder of a kind exports: the program finds them by their folder. */
const EXPORTS_OF_EVERY_FOLDER: ReadonlySet<string> = new Set(['feature', 'routes', 'source'])

/** Functions, classes and values that two files of the server export under one name. */
export function valuesExportedTwice(sources: readonly Source[]): readonly Finding[] {
  const places = new Map<string, string[]>()
  for (const source of sources.filter(isServer).filter(s => !isTest(s)))
    if (!NAMES_BY_CONVENTION.test(source.path))
      for (const name of exportedValues(source)) places.set(name, [...(places.get(name) ?? []), source.path])
  return [...places]
    .filter(([name, found]) => found.length > 1 && !EXPORTS_OF_EVERY_FOLDER.has(name))
    .map(([name, found]) => `${name} is exported ${found.length} times: ${found.join(', ')}`)
}

/** The names of a file's exported values; overloads count once. */
function exportedValues({ tree }: Source): ReadonlySet<string> {
  const exported = tree.statements.filter(isExported)
  return new Set(
    exported.flatMap(statement => {
      if (ts.isVariableStatement(statement))
        return statement.declarationList.declarations.flatMap(({ name }) =>
          ts.isIdentifier(name) ? [name.text] : [],
        )
      const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)
      return isNamed && statement.name ? [statement.name.text] : []
    }),
  )
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true

const isTypeDeclaration = (node: ts.Node): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && ts.isSourceFile(node.parent)
