import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { PROJECT } from '../harness/program.ts'

/** A file of code: its path in the project with forward slashes, and its syntax tree. */
export interface Source {
  readonly path: string
  readonly tree: ts.SourceFile
}

/** What a rule found: a sentence that starts with the place. */
export type Finding = string

const ROOTS = ['contract', 'server', 'console', 'features', 'tests', 'bench', 'scripts']
const CODE = /\.(ts|tsx|mjs)$/
const NOT_CODE = /\.d\.ts$|\/fixtures\//

let sources: readonly Source[] | undefined

/** Every file of code of the project, parsed once for all tests of a process: parsing takes most of their time. */
export function readSources(): readonly Source[] {
  sources ??= ROOTS.flatMap(root => filesOf(root))
    .filter(path => CODE.test(path) && !NOT_CODE.test(path))
    .map(path => sourceOf(path, readFileSync(join(PROJECT, path), 'utf8')))
  return sources
}

/** Every file at or below a folder of the project; none when it is missing. */
export function filesOf(folder: string): readonly string[] {
  const entries = entriesOf(join(PROJECT, folder))
  return entries
    .filter(entry => entry.isFile())
    .map(entry => relative(PROJECT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

export const sourceOf = (path: string, text: string): Source => ({
  path,
  tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
})

/** The server's half of the house: the base and what features add to it. */
export const isServer = ({ path }: Pick<Source, 'path'>): boolean =>
  /^(server|features\/[^/]+\/(server|migrations))\//.test(path)

/** Code that ships: neither tests nor scripts. */
export const isProgram = ({ path }: Pick<Source, 'path'>): boolean =>
  /^(contract|server|console|features)\//.test(path)

export const isTest = ({ path }: Source): boolean =>
  /\.test\.tsx?$|\/testing(\.ts$|\/)|^(tests|bench)\//.test(path)

/** `path:line`, as editors and terminals link it. */
export function placeOf({ path, tree }: Source, position: number): string {
  return `${path}:${tree.getLineAndCharacterOfPosition(position).line + 1}`
}

/** Every node of the tree that a test accepts. */
export function nodesOf<T extends ts.Node>(
  source: Source,
  accepts: (node: ts.Node) => node is T,
): readonly T[] {
  const found: T[] = []
  const visit = (node: ts.Node): void => {
    if (accepts(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source.tree)
  return found
}
