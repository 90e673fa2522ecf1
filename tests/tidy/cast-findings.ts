import ts from 'typescript'
import { type Finding, isTest, nodesOf, placeOf, type Source } from './source.ts'

/** Casts outside a named function with its guarantee written above it. */
export function castFindings(source: Source): readonly Finding[] {
  if (isTest(source)) return []
  return nodesOf(source, isCast)
    .filter(node => !isGuaranteed(source, node))
    .map(
      node =>
        `${placeOf(source, node.getStart())} is a cast outside a named function with its guarantee above: ${node.getText().slice(0, 80)}`,
    )
}

const isCast = (node: ts.Node): node is ts.AsExpression =>
  ts.isAsExpression(node) && !(ts.isTypeReferenceNode(node.type) && node.type.getText() === 'const')

/** Whether a declaration around the cast has a comment directly above. */
function isGuaranteed(source: Source, node: ts.Node): boolean {
  for (let around = node.parent; around && !ts.isSourceFile(around); around = around.parent) {
    const isNamed =
      ts.isFunctionDeclaration(around) || ts.isMethodDeclaration(around) || ts.isVariableStatement(around)
    if (isNamed && ts.getLeadingCommentRanges(source.tree.text, around.pos)?.length) return true
  }
  return false
}
