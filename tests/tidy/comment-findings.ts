import ts from 'typescript'
import { type Finding, placeOf, type Source } from './source.ts'

const UNFINISHED = /\b(TODO|FIXME|XXX|HACK)\b/

/** Comments that promise work instead of doing it. */
export function commentFindings(source: Source): readonly Finding[] {
  if (!UNFINISHED.test(source.tree.text)) return []
  return commentsOf(source.tree).flatMap(({ pos, end }) => {
    const text = source.tree.text.slice(pos, end)
    return UNFINISHED.test(text) ? [`${placeOf(source, pos)} promises work instead of doing it: ${text}`] : []
  })
}

/** Every comment of a file, once. Comments hang before or after tokens. */
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
