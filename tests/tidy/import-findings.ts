import { posix } from 'node:path'
import ts from 'typescript'
import { type Finding, nodesOf, placeOf, type Source } from './source.ts'

/** Ways into the contract other than `#contract/…`. */
export function importFindings(source: Source): readonly Finding[] {
  if (source.path.startsWith('contract/')) return []
  return nodesOf(source, ts.isStringLiteral)
    .filter(node => ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent))
    .filter(node => node.text.startsWith('.'))
    .filter(node => posix.join(posix.dirname(source.path), node.text).startsWith('contract/'))
    .map(
      node => `${placeOf(source, node.getStart())} reaches the contract by ${node.text}: write #contract/…`,
    )
}
