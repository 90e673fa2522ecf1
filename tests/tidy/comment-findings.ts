import ts from 'typescript'
import { type Finding, isTest, nodesOf, placeOf, type Source } from './source.ts'

const FOR_TOOLS = /biome-ignore|@ts-expect-error|@vite-ignore/
const UNFINISHED = /\b(TODO|FIXME|XXX|HACK)\b/

/** Comments inside functions, tests aside, and comments that promise work. */
export function commentFindings(source: Source): readonly Finding[] {
  const bodies = nodesOf(source, isFunctionWithBody).map(({ body }) => body)
  const isInFunction = (start: number) =>
    !isTest(source) && bodies.some(body => body.pos < start && start < body.end)
  if (!mayHoldFindings(source.tree.text, isInFunction)) return []
  return commentsOf(source.tree).flatMap(({ pos, end }) => {
    const place = placeOf(source, pos)
    const text = source.tree.text.slice(pos, end)
    return [
      ...(UNFINISHED.test(text) ? [`${place} promises work instead of doing it: ${text}`] : []),
      ...(isInFunction(pos) && !FOR_TOOLS.test(text)
        ? [`${place} is a comment inside a function: ${text}`]
        : []),
    ]
  })
}

/** A cheap look that spares most files the walk over all tokens. */
const mayHoldFindings = (text: string, isInFunction: (start: number) => boolean): boolean =>
  UNFINISHED.test(text) || [...text.matchAll(/\/[/*]/g)].some(({ index }) => isInFunction(index))

const isFunctionWithBody = (node: ts.Node): node is ts.FunctionLikeDeclaration & { body: ts.Node } =>
  ts.isFunctionLike(node) && 'body' in node && node.body !== undefined

/** Comments stand before or after tokens; every token's surroundings are asked once. */
function commentsOf(tree: ts.SourceFile): readonly ts.CommentRange[] {
  const found = new Map<number, ts.CommentRange>()
  const visit = (node: ts.Node): void => {
    const isText = ts.isJsxText(node) || ts.isStringLiteralLike(node)
    if (!isText) {
      const around = [
        ...(ts.getLeadingCommentRanges(tree.text, node.pos) ?? []),
        ...(ts.getTrailingCommentRanges(tree.text, node.end) ?? []),
      ]
      for (const comment of around) found.set(comment.pos, comment)
    }
    for (const child of node.getChildren(tree)) visit(child)
  }
  visit(tree)
  return [...found.values()]
}
